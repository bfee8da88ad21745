//! A server behind a WebSocket: each WebSocket message is one MCP message (`protocol.md` X1).
//!
//! ```text
//! dial (TCP, TLS) ──► upgrade ──► wire ──► rmcp
//!                       └─ meter ─► beat
//! ```
//!
//! It does not follow a redirect, use a proxy, accept a message over the cap, or reopen a socket: the session ends
//! with it.
//!
//! INVARIANT: no background task runs here; when the link has ended, no task and no socket of it remains.

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
