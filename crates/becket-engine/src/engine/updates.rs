//! Permissions of a session that runs: updates, the mode that it started in, what may be suggested (`protocol.md` P13).
//!
//! It changes rules and directories and says which mode a session is to be in; the mode itself is the host's to keep.

mod applied_updates;
mod apply;
mod ask;
mod mode;

pub use applied_updates::{AppliedChange, AppliedUpdates};
