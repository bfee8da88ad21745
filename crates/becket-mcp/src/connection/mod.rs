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
mod handshake;
mod in_flight;
mod link;
mod live;
mod message;
mod open;
mod state;
mod stdio;
mod tail;

pub(crate) use live::{Connection, Failed};
pub(crate) use open::open;
