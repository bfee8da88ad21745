//! Compaction: a conversation that grows too large goes on as its summary (`protocol.md` L0, L5).
//!
//! The way: PreCompact, which may forbid it → one request for a summary → the conversation is replaced → SessionStart with
//! `compact` → PostCompact. Here are the two ends of that way and everything that is decided on it; the middle, where the
//! conversation changes and is stored, is the turn's.
//!
//! It refuses to change a conversation, and to try again what has failed: see [`Guard`].

mod guard;
mod request;
mod run;
mod summary;
mod window;

pub use guard::{GaveUp, Guard};
pub use run::{Compacted, Compaction, NotCompacted, Trigger};
pub use window::Window;
