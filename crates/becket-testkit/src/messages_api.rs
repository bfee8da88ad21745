//! A server of the Messages API on the loopback: streams what a script says, as bad as a test wants it, and holds every
//! request against the API's rules.
//!
//! It has one thread for each connection and no runtime, so that it goes on whatever becomes of the client, a kill
//! included. A request that the API would refuse is refused here with the same status, and remembered: a test that ends
//! with [`Server::wrongs`] empty has sent nothing but what the API accepts.
//!
//! - [`Turn`] is one answer: what the model says, or what goes wrong. It can be read from JSON.
//! - [`Server`] answers with one turn after the other, or with what a function makes of each request, and keeps all
//!   requests.
//! - [`refusal`] is the checker alone: pure, of a request's body.
//!
//! ```
//! use becket_testkit::messages_api::{Server, Turn};
//! use serde_json::json;
//!
//! let server = Server::start(vec![Turn::call("t1", "Bash", json!({"command": "pwd"})), Turn::text("Done.")]);
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! assert_eq!((server.requests().len(), server.left()), (0, 2));
//! assert!(server.wrongs().is_empty());
//! ```

mod check;
mod script;
mod server;
mod turn;
mod wire;

pub use check::refusal;
pub use server::{Asked, Server, nobody};
pub use turn::{Call, Refused, Trouble, Turn};

#[cfg(test)]
mod tests;
