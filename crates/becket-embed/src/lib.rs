//! Sessions for programs in other languages: events come in, and verdicts go out, as JSON.
//!
//! `becket serve` and the bindings for Python and Node are built on it, so that a hook has the same effect in each.
//! None of them has logic of its own: each shows values of [`becket_engine`], the same that `becket fire` and `becket
//! explain` print.
//!
//! - [`host`]: the state that all sessions of a process share, and the opening of sessions
//! - [`open`]: the options of a session
//! - [`session`]: one session: an engine, the facts that its events share, the hooks that its program has registered
//! - [`mod@launch`]: the directory and profile of a session, and the additional sources of its configuration
//! - [`servers`]: the MCP servers that a host names, for hooks to call
//! - [`view`]: the results, as data with a schema
//! - [`caller_executor`]: firings that run on the program's own threads
//! - [`exec`]: programs under the rules of a session
//! - [`event`], [`models`]: names of events, the models of hooks
//!
//! This crate reads no variable and no home directory: whoever creates a [`host::Host`] passes them in.

pub mod caller_executor;
pub mod event;
pub mod exec;
pub mod host;
pub mod models;
pub mod open;
pub mod servers;
pub mod session;
pub mod view;

pub use becket_fire::{Launch, launch};
pub use event::UnknownEvent;
pub use exec::{ExecReport, ExecRequest, NotExecuted};
pub use host::{Host, NotOpened};
pub use open::{Mode, Open, Profile, Registration, Source};
pub use session::{FiringCancelled, Session, runs_on_caller};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
