//! Whole runs under bad conditions: killed at any moment, with hundreds of calls and floods of output, on full disks,
//! concurrently. The remains are examined from outside, and the model's side is a server that checks every request against the
//! rules of the Messages API.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "figures, and what was left out, for whoever looks")]

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not allowed is refused")]
#[path = "../../../../becket-agent/tests/it/conversation/checker.rs"]
mod checker;

mod bad_calls;
mod bad_places;
mod chaos;
mod cut;
mod floods;
mod full_disk;
mod killed;
mod many;
mod place;
mod real_model;
mod scarce;
mod together;
mod worktrees;
