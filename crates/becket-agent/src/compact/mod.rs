//! Compaction: a conversation that grows too large continues as its summary (`protocol.md` L0, L5).
//!
//! The order: PreCompact, which may block it → one request for a summary → the conversation is replaced → SessionStart
//! with `compact` → PostCompact. This module implements the first and the last steps and all decisions; the turn
//! changes and stores the conversation.
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
