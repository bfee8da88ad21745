//! Becket as the one hook of an agent: an event on stdin, its answer on stdout (`becket fire --stdin-event`).
//!
//! Two programs are built on it, so that an event has the same answer in both: the command line, and the small program of
//! this crate, which holds nothing else. What they share is here, from the process to the answer:
//!
//! - [`ProcessContext`]: the facts about the process; [`untraced`]: its protection
//! - [`hook_launch`], [`Launch`], [`project`]: the session and the project around an event
//! - [`EarlySignals`], [`interrupt`]: signals, before the hooks run and during it
//! - [`enclosing`]: the events inside of which the process is fired
//! - [`fire()`]: the hooks of an event, those in the background included
//! - [`hook_output`], [`result`], [`fired_fields`]: the answer
//! - [`dialect`]: the events of an agent with a dialect of its own, and the answer in its form
//! - [`trust_gate`], [`call_approval`], [`one_time_approval`], [`carried_context`]: the trust in a project, a person's yes, and
//!   what is kept for later answers
//! - `detached_process` (Unix): the processes of hooks that nobody waits for
//! - [`times`]: records of the time that the hooks take
//! - [`Refusal`]: the answer if there is none
//!
//! Nothing here decides: the engine does. `main.rs` and `program/` are the small program.

pub mod call_approval;
pub mod carried_context;
#[cfg(unix)]
pub mod detached_process;
pub mod dialect;
mod early_signals;
pub mod enclosing;
mod env_file;
mod error;
mod fire;
pub mod fired_fields;
mod hook_launch;
pub mod hook_output;
pub mod interrupt;
pub mod launch;
pub mod one_time_approval;
mod process_context;
pub mod project;
mod refusal;
pub mod result;
pub mod times;
pub mod trust_gate;
pub mod untraced;

pub use early_signals::EarlySignals;
pub use error::FiringError;
pub use fire::{BackgroundEnd, Fired, fire};
pub use hook_launch::{HookLaunch, NoProjectDirectory, hook_launch};
pub use launch::Launch;
pub use process_context::ProcessContext;
pub use refusal::{NO_ANSWER, Refusal};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
