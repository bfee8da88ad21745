//! Bad servers, met through [`becket_mcp::Pool`] alone, over real sockets and processes. In each pool there is a good server
//! beside the bad one, which must not notice anything.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

#[path = "../common/mod.rs"]
mod common;

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
