//! The tasks that a host usually runs at the end of a turn (`protocol.md` L7): after an answer without calls, before its
//! Stop hooks.
//!
//! - `title`: a name for the session, left running
//! - `suggestion`: a suggestion for the next prompt, left running
//! - `notes`: notes for later sessions, left running
//! - `consolidation`: the notes of many sessions condensed, left running
//! - `state_file`: the state of the session, in a file, awaited
//! - `side_request`: one question to the small fast model
//! - `prompt_progress`: the prompts that have started and ended
//!
//! INVARIANT: these tasks run only after the session's own turns; not in a bare start, and not after an interrupt, a
//! limit or an error of the provider. No answer waits for a request that is made here.

mod consolidation;
mod notes;
mod prompt_progress;
mod session;
mod side_request;
mod state_file;
mod suggestion;
mod title;

pub use session::EndTasks;
