//! Helpers for the tests and benches of this workspace; never a dependency of what is shipped.
//!
//! - [`proc`] looks at processes from outside: who is alive, what is open, how much memory is held.
//! - [`mod@env`] is a home, a project and an environment of their own to run a program in.
//! - [`mcp_http`] is an MCP server over HTTP, as good or as bad as a test wants it.
//! - [`mcp_auth`] is an MCP server that wants a login, with the authorisation server that gives it.
//! - [`messages_api`] is a model behind the Messages API, which holds each request against the API's rules.
//! - `real_model` (Unix) is the server of a small real model.
//! - [`mod@bench`] measures a thing beside its floor, in one run, and prints rows for `cargo xtask bench`.

#![expect(clippy::expect_used, reason = "a test helper fails by panicking")]

pub mod bench;
pub mod env;
pub mod mcp_auth;
pub mod mcp_http;
pub mod messages_api;
pub mod proc;
#[cfg(unix)]
pub mod real_model;
