//! HTTP on a loopback port, for clients without Unix sockets: the same messages, in HTTP requests.
//!
//! - [`listen`], [`linger`]: the port, its access limits, and the end of a stream
//! - [`token`], [`gate`]: the secret of this process, and requests that are rejected before their body is read
//! - [`exchange`], [`body`], [`refusal`]: one HTTP request and its response
//! - [`callers`], [`caller`], [`route`]: the clients, each with a connection of the protocol that outlives its requests
//!
//! A `POST /` without the header `Becket-Connection` opens a connection, whose id is returned in that header. Further
//! ones send messages to it and wait for the answers; `GET /` streams becket's requests and notifications, line by
//! line; `DELETE /` ends it. It also ends after some time without open requests from its client.
//!
//! INVARIANT: without the token, only the head of a request is read. A connection is accessible only by its id, which
//! can't be guessed, so clients with the same token are isolated from each other.

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

pub(super) use listen::{ListenOptions, serve};
pub(super) use refusal::rows as refusals;
