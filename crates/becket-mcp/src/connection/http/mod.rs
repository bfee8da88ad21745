//! Streamable HTTP, and servers behind a proxy of the host (`protocol.md` X1).
//!
//! ```text
//! rmcp ── Wire ──► Client ── Requests ──► server        one POST for each message
//!                    │  └──── answer ◄─── stream        events until the answer, taken up again where that is offered
//!                    └─────── listening ◄ stream        what the server says unasked
//! ```
//!
//! `rmcp` keeps the order and the headers of the protocol; what is sent, what an answer means, and when it is over is
//! decided here. Every trouble of one POST is an error of that request and of no other, and none of them is silence.
//!
//! It refuses to send a message again (but one that a 401 or a redirect to the same origin has turned away, which nobody
//! has acted on), to follow a server to another origin, to begin a session by itself where one is lost (X4 is the
//! pool's), and to keep a stream open that nothing comes over for longer than a few tries.
//!
//! INVARIANT: once a link has ended or was dropped, none of its tasks waits for anything any longer.

mod answer;
mod client;
mod era;
mod feed;
mod link;
mod listening;
mod meaning;
mod pause;
mod requests;
mod wire;

pub(crate) use era::Network;
pub(crate) use link::{HttpLink, proxied};

#[cfg(test)]
mod tests;
