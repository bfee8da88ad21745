//! A server within the host's own process: a pair of bounded channels (`protocol.md` X1).
//!
//! It refuses to run the server: that is its host's, and so is whatever the server started.
//!
//! INVARIANT: nothing here runs by itself; when the link has ended, both channels are closed.

mod link;
mod server;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use link::InProcessLink;
pub use server::{ClientGone, InProcessServer, ServerEnd, ServerSender};
