//! The tasks that a host usually runs at the end of a turn (`protocol.md` L7): after an answer without calls, before its
//! Stop hooks.
//!
//! - `title`: a title for the session, not awaited
//! - `suggestion`: a suggestion for the next prompt, not awaited
//! - `notes`: notes for later sessions, not awaited
//! - `consolidation`: condenses the notes of many sessions, not awaited
//! - `state_file`: writes the state of the session to a file, awaited
//! - `side_request`: one request to the small fast model
//! - `prompt_progress`: the prompts that have started and ended
//!
//! INVARIANT: these tasks run only after the session's own turns; not in a bare session, and not after an interrupt, a
//! limit or an error of the provider. No answer waits for a request made here.

mod consolidation;
mod notes;
mod prompt_progress;
mod session;
mod side_request;
mod state_file;
mod suggestion;
mod title;

pub use session::EndTasks;
