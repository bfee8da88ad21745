//! The pool: shared connections, recovery, states, requests of servers to the host.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod configuring;
mod host;
mod lists;
mod logins;
mod questions;
mod recovery;
mod scripted;
mod sharing;
mod states;
mod transports;
