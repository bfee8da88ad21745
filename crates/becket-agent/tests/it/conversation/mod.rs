//! The tool barrier: the messages that a conversation sends, whatever happens to it (`protocol.md` L2).

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]
#![expect(clippy::wildcard_enum_match_arm, reason = "most moves and blocks mean nothing in most states")]

mod cases;
pub(crate) mod checker;
mod law;
pub(crate) mod moves;
