//! Becket as the one hook of an agent: an event on stdin, its answer on stdout (`becket fire --stdin-event`).
//!
//! Two programs are built on it, so that an event has the same answer in both: the command line, and the small program
//! of this crate, which contains nothing else. Their shared parts are here, from the process to the answer:
//!
//! - [`ProcessContext`]: the facts about the process; [`untraced`]: its protection
//! - [`hook_launch`], [`Launch`], [`project`]: the session and the project around an event
//! - [`EarlySignals`], [`interrupt`]: signals, before and during the run of the hooks
//! - [`deliver`], [`stdout`]: the writing of an answer, which must have a reader
//! - [`enclosing`]: the events that enclose the process
//! - [`fire()`]: the hooks of an event, those in the background included
//! - [`hook_output`], [`result`], [`fired_fields`]: the answer
//! - [`dialect`]: the events of an agent with a dialect of its own, and the answer in its form
//! - [`trust_gate`], [`call_approval`], [`one_time_approval`], [`carried_context`]: the trust in a project, a person's
//!   approval, and context for later answers
//! - [`event_gate`], [`person_gate`], [`own_program`]: calls that hooks don't decide about, and the names of the
//!   programs
//! - `detached_process` (Unix), [`LeftHooks`]: the processes of hooks that nothing waits for
//! - [`times`]: records of the time that the hooks take
//! - [`Refusal`]: the answer if there is none; [`waiting_input()`]: stdin with a time limit
//!
//! Nothing here decides: the engine does. `main.rs` and `program/` are the small program.

mod answer_stream;
pub mod call_approval;
pub mod carried_context;
#[cfg(unix)]
pub mod detached_process;
pub mod dialect;
mod early_signals;
pub mod enclosing;
mod env_file;
mod error;
pub mod event_gate;
mod fire;
pub mod fired_fields;
mod hook_launch;
pub mod hook_output;
pub mod interrupt;
pub mod launch;
mod left_hooks;
pub mod one_time_approval;
pub mod own_program;
pub mod person_gate;
mod process_context;
pub mod project;
mod refusal;
pub mod result;
pub mod times;
pub mod trust_gate;
pub mod untraced;
mod waiting_input;

pub use answer_stream::{deliver, stdout};
pub use early_signals::{ENDED, EarlySignals};
pub use error::FiringError;
pub use fire::{BackgroundEnd, BackgroundWait, Fired, fire};
pub use hook_launch::{HookLaunch, NoProjectDirectory, hook_launch};
pub use launch::Launch;
pub use left_hooks::LeftHooks;
pub use process_context::ProcessContext;
pub use refusal::{NO_ANSWER, Refusal};
pub use waiting_input::waiting_input;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
