//! One connection: its transport, the handshake, the calls.
//!
//! ```text
//! Link (stdio, …) ── wire ──► rmcp ──► Connection ◄── Calls ◄── Clock
//!        └────────── State ◄────────────────┘
//!                    Host ◄── HostHandle ◄── Client ◄── rmcp
//! ```
//!
//! INVARIANT: dropping a [`Connection`] ends its link first; no task here outlives it.

mod answer;
mod ask;
mod calls;
mod client;
mod clock;
mod connector;
mod duplex;
mod handshake;
mod host_handle;
mod http;
mod in_flight;
mod in_process;
mod info;
mod link;
mod live;
mod lost_answers;
mod message;
mod messages;
mod no_answer;
mod open;
mod outbox;
mod pages;
mod questions;
mod reading;
mod redactor;
mod rounds;
mod session;
mod shortcut;
mod sse;
mod state;
mod stdio;
mod tail;
mod target;
#[cfg(test)]
mod trial;
mod trouble;
mod websocket;

pub(crate) use clock::{Clock, Times};
pub(crate) use connector::{Connector, brings_own, login_target, wants_person};
pub(crate) use host_handle::HostHandle;
pub use info::ServerInfo;
pub(crate) use live::{Connection, OperationError};
pub(crate) use open::{ConnectParams, open};
