//! Permissions of a running session: updates, the mode that it started in, possible suggestions (`protocol.md` P13).
//!
//! It changes rules and directories and returns the mode that a session enters; the host keeps the mode itself.

mod applied_updates;
mod apply;
mod ask;
mod mode;

pub use applied_updates::{AppliedChange, AppliedUpdates};
