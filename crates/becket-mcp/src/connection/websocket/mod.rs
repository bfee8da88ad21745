//! A server behind a WebSocket: each message is one of both (`protocol.md` X1).
//!
//! ```text
//! dial (TCP, TLS) ──► upgrade ──► wire ──► rmcp
//!                       └─ meter ─► beat
//! ```
//!
//! It refuses to follow a redirect, to use a proxy, to take a message over the cap, and to open a socket again: the
//! session is gone with it.
//!
//! INVARIANT: nothing here runs by itself; when the link has ended, no task and no socket of it is left.

mod beat;
mod dial;
mod frames;
mod link;
mod meter;
#[cfg(test)]
mod tests;
mod upgrade;
mod wire;

pub(crate) use link::WebSocketLink;
