//! The stored session, which loads after any end (`protocol.md` L2, D10).

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]
#![expect(clippy::wildcard_enum_match_arm, reason = "most moves and blocks mean nothing in most states")]

mod crash;
mod damage;
mod files;
mod fixture;
#[cfg(unix)]
mod killed;
mod resumed;
mod shared;
