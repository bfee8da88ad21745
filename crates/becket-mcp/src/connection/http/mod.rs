//! Streamable HTTP, and servers behind a proxy of the host (`protocol.md` X1).
//!
//! ```text
//! rmcp ── Wire ──► Client ── Requests ──► server        one POST for each message
//!                    │  └──── answer ◄─── stream        events until the answer, resumed if supported
//!                    └─────── listening ◄ stream        unsolicited messages of the server
//! ```
//!
//! `rmcp` keeps the order and the headers of the protocol; requests, the meaning of answers, and the end of the
//! connection are handled here. Every failure of one POST is an error of that request and of no other, and none is
//! silent.
//!
//! It does not resend a message (except one that a 401 or a redirect to the same origin has rejected, which was not
//! processed), follow a redirect to another origin, begin a new session when one is lost (X4 is done by the pool), or
//! reopen a silent stream more than a few times.
//!
//! INVARIANT: once a link has ended or was dropped, none of its tasks waits for anything.

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
