//! One connection: its transport, the handshake, the calls.
//!
//! ```text
//! Link (stdio, …) ── wire ──► rmcp ──► Connection ◄── Calls ◄── Clock
//!        └────────── State ◄────────────────┘
//!                    Host ◄── Lent ◄── Client ◄── rmcp
//! ```
//!
//! INVARIANT: dropping a [`Connection`] ends its link first; no task here outlives it.

mod answer;
mod ask;
mod calls;
mod client;
mod clock;
mod events;
mod handshake;
mod hidden;
mod http;
mod in_flight;
mod in_process;
mod info;
mod lent;
mod link;
mod live;
mod message;
mod messages;
mod no_answer;
mod open;
mod outbox;
mod pages;
mod questions;
mod reading;
mod rounds;
mod shortcut;
mod sse;
mod stand_in;
mod state;
mod stdio;
mod tail;
mod target;
#[cfg(test)]
mod trial;
mod trouble;
mod ways;
mod websocket;

pub(crate) use clock::{Clock, Times};
pub use in_process::{ClientGone, InProcessServer, ServerEnd, ServerSender};
pub use info::ServerInfo;
pub(crate) use lent::Lent;
pub(crate) use live::{Connection, Failed};
pub(crate) use open::{Means, open};
pub(crate) use ways::{Ways, brings_own, login_target, wants_person};
