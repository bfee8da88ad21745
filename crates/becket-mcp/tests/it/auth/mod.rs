//! Logins against a test authorisation server, the store of tokens, the cache of servers that need a login, and
//! helpers that print headers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod callback;
mod discovery;
mod exchange;
mod helper;
mod login;
mod logout;
mod needed;
mod place;
mod processes;
mod renewal;
mod secrets;
mod step_up;
mod store;
mod unattended;
