//! A server that uses HTTP as before streamable HTTP: one GET, whose stream of events carries all messages from the
//! server, and one POST for each message to it (`protocol.md` X1).
//!
//! ```text
//! GET ──► events ──► wire ──► rmcp
//!                     └── posts ──► POST
//! ```
//!
//! It does not send messages to an origin other than the stream's, or reopen a stream: the session ends with it.
//!
//! INVARIANT: no background task outlives the link; when it has ended, none of its sockets remains except those that
//! the HTTP library is closing.

mod http;
mod link;
mod posts;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use link::SseLink;
