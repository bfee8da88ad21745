//! A server over HTTP as it was before streamable HTTP: one GET whose stream of events brings all messages, and a POST
//! for each message there (`protocol.md` X1).
//!
//! ```text
//! GET ──► events ──► wire ──► rmcp
//!                     └── posts ──► POST
//! ```
//!
//! It does not send messages to another origin than the stream's, or reopen a stream: the session ends with it.
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
