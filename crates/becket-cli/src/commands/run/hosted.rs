//! A session that its host drives over stdin and stdout, by the protocol of [`super::control`].
//!
//! - [`requests`], [`servers`], [`context_usage`]: the requests of the host, and their answers
//! - [`flag_settings`]: the settings that the host changes
//! - [`plugins`]: plugins that are read again
//! - [`description`]: commands, skills and agents, for the host
//! - [`turns`]: the turn that an interrupt ends
//! - [`session`]: the session, from the first line to the last

mod context_usage;
mod description;
mod flag_settings;
mod plugins;
mod requests;
mod servers;
mod session;
mod turns;

pub(super) use session::drive;
