//! Helpers for the tests of all transports: a server's answers, a client over any link, and the common requirements.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper fails by panicking")]

mod brain;
mod client;
mod http;
mod net;
mod scenes;

pub(super) use brain::{Act, Brain};
pub(super) use client::{Trial, eventually};
pub(super) use http::{Head, answer, read_head};
pub(super) use net::{Listener, Security, Stream};
pub(super) use scenes::{calls_are_answered, what_breaks_a_call_breaks_no_other};
