//! A session that its host drives over stdin and stdout, by the protocol of [`super::control`].
//!
//! - [`requests`], [`servers`], [`context_usage`]: what the host may ask for, and how it is answered
//! - [`turns`]: which turn an interrupt means
//! - [`session`]: all of it, from the first line to the last

mod context_usage;
mod requests;
mod servers;
mod session;
mod turns;

pub(super) use session::drive;
