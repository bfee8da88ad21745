//! Compaction: a conversation that grows too large goes on as its summary (`protocol.md` L0, L5).
//!
//! The order: PreCompact, which may forbid it → one request for a summary → the conversation is replaced → SessionStart
//! with `compact` → PostCompact. This module has the first and the last steps and all decisions; the turn changes the
//! conversation and stores it.
//!
//! It does not change a conversation and does not retry a failure: see [`Guard`].

mod guard;
mod request;
mod run;
mod summary;
mod window;

pub use guard::{GaveUp, Guard};
pub use run::{Compaction, CompactionSummary, NotCompacted, Trigger};
pub use window::Window;
