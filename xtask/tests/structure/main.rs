//! The structure of the workspace: which crate may use which, and which folder of a crate.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod edges;
mod folders;
mod uses;
