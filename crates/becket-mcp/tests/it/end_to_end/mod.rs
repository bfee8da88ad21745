//! Misbehaving servers, accessed only through [`becket_mcp::Pool`], over real sockets and processes. Each pool also
//! has a well-behaved server, which must not be affected.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod auth;
mod lists;
mod misled;
mod names;
mod scene;
mod secrets;
mod sessions;
mod silence;
mod sizes;
mod stdio;
mod vanishing;
mod websocket;
