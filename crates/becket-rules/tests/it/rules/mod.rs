//! Rules, matchers, paths and permissions, from data files and as laws.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what fails in the set-up, or in a case file, fails the test"
)]

mod calls;
mod cases;
mod links;
mod matchers;
mod path_git;
mod paths;
mod texts;
mod updates;
