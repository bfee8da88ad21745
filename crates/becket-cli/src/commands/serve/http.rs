//! HTTP on a loopback port, for clients that have no sockets of Unix: the same messages, in other envelopes.
//!
//! - [`listen`], [`linger`]: the port, who is let in to it, and how a stream ends
//! - [`token`], [`gate`]: the secret of this process, and what is turned away before anything of it is read
//! - [`exchange`], [`body`], [`refusal`]: one request of HTTP and its answer
//! - [`callers`], [`caller`], [`route`]: the clients, each with a connection of the protocol that outlives its requests
//!
//! A `POST /` without the header `Becket-Connection` opens a connection, whose id comes back in that header. Further ones
//! bring messages to it and wait for the answers; `GET /` brings what becket asks and tells of itself, line by line;
//! `DELETE /` ends it. It ends by itself when nothing of its client has been open for a while.
//!
//! INVARIANT: without the token nothing of a request is read but its head. A connection is reached by its id alone, which
//! nobody can guess, so that clients with the same token do not meet.

mod body;
mod caller;
mod callers;
mod exchange;
mod gate;
mod linger;
mod listen;
mod refusal;
mod route;
mod strangers;
mod token;

pub(super) use listen::{Wants, served};
pub(super) use refusal::rows as refusals;
