//! The structure of the workspace: which crate may use which, which folder of a crate, and the language of its comments.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod api;
mod edges;
mod folders;
mod language;
mod uses;
