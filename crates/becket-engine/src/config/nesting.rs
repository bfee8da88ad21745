//! Events inside events (H14): a hook may run a program that fires the very event that the hook is run for, and that
//! program would run the hook again, without end.
//!
//! Each command and each request carries the [`EventMark`]s of the events that it is run for. An engine that finds the
//! mark of the event that it should fire runs no handler: an event that can be blocked is blocked. Marks of other
//! events are accepted up to a depth of 8. A command that is plainly a call of Becket is not even started.
//!
//! INVARIANT: no setting can set, change or remove a mark.

mod call;
mod enclosing;
mod mark;

pub(crate) use call::{is_registration, runs_becket};
#[cfg(feature = "http")]
pub(crate) use enclosing::HEADER;
pub(crate) use enclosing::{EnclosingEvents, VARIABLE};
pub use mark::{EventMark, NotAMark};
