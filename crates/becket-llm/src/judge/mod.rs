//! Requests for a verdict and their answers. Pure: no model is called here.
//!
//! A verdict may let a destructive command run, so anything that is not clearly a verdict is an error, never `ok`: two
//! different objects, a text that can be read both ways, anything cut off. The schema puts `reason` before `ok`: a
//! model that writes its verdict first argues for it afterwards, even if it is wrong. rules: H7, H8
//!
//! INVARIANT: [`read_verdict`] never returns `ok: true` if any top-level object of the text says `ok: false`.

mod node;
mod read;
mod schema;
mod tool_request;

pub(crate) use node::repeated_key;
pub use read::{Verdict, VerdictError, read_verdict, says_no};
pub use schema::{tool_request_schema, verdict_schema};
pub use tool_request::{ToolRequest, read_tool_request};
