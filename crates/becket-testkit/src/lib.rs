//! Helpers for the tests and benches of this workspace; no shipped crate depends on them.
//!
//! - [`proc`] inspects processes from outside: whether they are alive, their open files, their memory.
//! - [`mod@env`] is an isolated home, project and environment to run a program in.
//! - [`files`] reads whole directories, to compare them.
//! - [`mcp_http`] is an MCP server over HTTP, with the faults that a test asks for.
//! - [`mcp_auth`] is an MCP server that requires a login, with its authorisation server.
//! - [`messages_api`] is a model behind the Messages API, which checks each request against the API's rules.
//! - `real_model` (Unix) is the server of a small real model.
//! - `user` (Unix) is the user who runs the tests, and an ordinary one.
//! - [`wait`] waits for facts in asynchronous tests.
//! - [`mod@bench`] measures code beside its lower bound, in one run, and prints rows for `cargo xtask bench`.

#![expect(clippy::expect_used, reason = "a test helper fails by panicking")]

pub mod bench;
pub mod env;
pub mod files;
pub mod mcp_auth;
pub mod mcp_http;
pub mod messages_api;
pub mod proc;
#[cfg(unix)]
pub mod real_model;
#[cfg(unix)]
pub mod user;
pub mod wait;
