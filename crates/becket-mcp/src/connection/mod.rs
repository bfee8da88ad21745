//! One connection: how its server is reached, the handshake, the calls.
//!
//! ```text
//! Link (stdio, …) ── wire ──► rmcp ──► Connection ◄── Calls ◄── Clock
//!        └────────── State ◄────────────────┘
//!                    Host ◄── Lent ◄── Client ◄── rmcp
//! ```
//!
//! INVARIANT: whoever drops a [`Connection`] has ended its link by then; nothing here is left to run alone.

mod answer;
mod ask;
mod calls;
mod client;
mod clock;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod events;
mod handshake;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod http;
mod in_flight;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod in_process;
mod info;
mod lent;
mod link;
mod live;
mod message;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod messages;
mod no_answer;
mod open;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod outbox;
mod pages;
mod questions;
mod rounds;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod sse;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod stand_in;
mod state;
mod stdio;
mod tail;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod target;
#[cfg(test)]
mod trial;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod trouble;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod websocket;

pub(crate) use clock::{Clock, Times};
pub use in_process::{ClientGone, InProcessServer, ServerEnd, ServerSender};
pub use info::ServerInfo;
pub(crate) use lent::Lent;
pub(crate) use live::{Connection, Failed};
pub(crate) use open::{Means, open};
