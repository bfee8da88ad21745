//! One connection: how its server is reached, the handshake, the calls.
//!
//! ```text
//! Link (stdio, …) ── wire ──► rmcp ──► Connection
//!        └────────── State ◄────────────────┘
//! ```
//!
//! INVARIANT: whoever drops a [`Connection`] has ended its link by then; nothing here is left to run alone.

mod ask;
mod client;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod events;
mod handshake;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod http;
mod in_flight;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod in_process;
mod link;
mod live;
mod message;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod messages;
mod open;
#[allow(dead_code, unused_imports, reason = "who connects over it comes with the next changes")]
mod outbox;
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

pub use in_process::{ClientGone, InProcessServer, ServerEnd, ServerSender};
pub(crate) use live::{Connection, Failed};
pub(crate) use open::open;
