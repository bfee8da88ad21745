//! A server within the host's own process: a pair of bounded channels (`protocol.md` X1).
//!
//! It does not run the server: that is the host's, and so is everything the server started.
//!
//! INVARIANT: no background task runs here; when the link has ended, both channels are closed.

mod link;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use link::InProcessLink;
