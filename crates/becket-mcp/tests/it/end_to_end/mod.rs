//! Bad servers, met through [`becket_mcp::Pool`] alone, over real sockets and processes. In each pool there is a good server
//! beside the bad one, which must not notice anything.

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
