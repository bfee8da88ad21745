//! A server over HTTP as it was before streamable HTTP: one GET whose stream of events brings all messages, and a POST
//! for each message there (`protocol.md` X1).
//!
//! ```text
//! GET ──► events ──► wire ──► rmcp
//!                     └── posts ──► POST
//! ```
//!
//! It refuses to send messages anywhere but to the origin of the stream, and to open a stream again: the session is gone
//! with it.
//!
//! INVARIANT: nothing here runs by itself; when the link has ended, no task and no socket of it is left but what the
//! HTTP library is closing.

mod http;
mod link;
mod posts;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use link::SseLink;
