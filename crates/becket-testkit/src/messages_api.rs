//! A server of the Messages API on the loopback: streams the answers of a script, with the faults that a test asks for,
//! and checks every request against the API's rules.
//!
//! It has one thread for each connection and no runtime, so that it survives the client, even a killed one. A request
//! that the API would reject is rejected here with the same status, and recorded: a test that ends with
//! [`Server::wrongs`] empty has sent only requests that the API accepts.
//!
//! - [`Turn`] is one answer: the model's text and calls, or a fault. It can be read from JSON.
//! - [`Server`] answers with one turn after the other, or with the result of a function for each request, and keeps all
//!   requests.
//! - [`refusal`] is the checker alone, a pure function of a request's body.
//!
//! ```
//! use becket_testkit::messages_api::{Server, Turn};
//! use serde_json::json;
//!
//! let server = Server::start(vec![Turn::call("t1", "Bash", json!({"command": "pwd"})), Turn::text("Done.")]);
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! assert_eq!((server.requests().len(), server.remaining_turns()), (0, 2));
//! assert!(server.wrongs().is_empty());
//! ```

mod check;
mod script;
mod server;
mod turn;
mod wire;

pub use check::refusal;
pub use server::{RecordedRequest, Server, unreachable_url};
pub use turn::{Call, ErrorReply, Trouble, Turn};

#[cfg(test)]
mod tests;
