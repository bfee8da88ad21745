//! The structure of the workspace: the dependencies of crates and of their folders, and the language of comments.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod api;
mod edges;
mod folders;
mod language;
mod uses;
