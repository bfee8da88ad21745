//! An MCP server over HTTP: correct by default, with the faults that a test asks for.
//!
//! It listens on a loopback port, with one thread for each connection and no runtime, so that it continues even if the
//! client under test blocks its own. It counts connections, sessions and requests: a test can check that nothing was
//! sent twice and that nothing remains.
//!
//! - [`Plan`] defines what the server offers, and contains rules that override single responses.
//! - [`ReceivedRequest`] is a received request, [`Reply`] the response to it, [`Step`] a piece of a stream.
//! - [`Server`] runs, counts, and pushes messages over the streams that clients keep open.
//! - `tls::Pems` are certificates made on the spot (feature `tls`).
//!
//! ```
//! use becket_testkit::mcp_http::{Plan, Reply};
//!
//! let server = Plan::new()
//!     .rule(|seen| (seen.rpc() == "tools/call" && seen.nth > 3).then(Reply::expired))
//!     .start();
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! assert_eq!(server.count("tools/call"), 0);
//! ```

mod answers;
mod plan;
mod received_request;
mod reply;
mod server;
mod socket;
mod state;
#[cfg(feature = "tls")]
pub mod tls;
mod write;

pub use plan::{Eras, Plan};
pub use received_request::ReceivedRequest;
pub use reply::{Reply, Step};
pub use server::Server;

#[cfg(test)]
mod tests;
