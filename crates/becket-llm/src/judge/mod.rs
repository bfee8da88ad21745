//! Asking a model for a verdict, and reading it. Pure: no model is asked here.
//!
//! A verdict may let a destructive command run, so what is not plainly one is an error, never `ok`: two different
//! objects, a text that could be read both ways, anything cut off. The schema puts `reason` before `ok`: a model that
//! first writes its verdict then argues for it, also if it is wrong. rules: H7, H8
//!
//! INVARIANT: [`read_verdict`] never gives `ok: true` where any top-level object of the text says `ok: false`.

mod node;
mod read;
mod schema;
mod tool_request;

pub(crate) use node::repeated_key;
pub use read::{Verdict, VerdictError, read_verdict, says_no};
pub use schema::{tool_request_schema, verdict_schema};
pub use tool_request::{ToolRequest, read_tool_request};
