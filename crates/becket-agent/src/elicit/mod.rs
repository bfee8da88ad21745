//! Questions of MCP servers, answered by hooks and by the user (`protocol.md` X6).
//!
//! The order: Elicitation hooks → if none answers, the user → ElicitationResult hooks, which may change the user's
//! answer → back to the server. Without a user the question is cancelled, and ElicitationResult hooks see that cancel:
//! one may still fill in the form.
//!
//! INVARIANT: an answer to a server has the requested shape. Content of a hook that does not fit is a named failure and
//! not an answer (O10); the next in line decides.
//!
//! It rejects addresses other than `http` and `https` before the user sees them. It does not open an address, and
//! provides no model and no directories: another [`becket_mcp::Host`] behind it does.

mod asking;
mod form;
mod hook_answer;
mod host;
mod report;
mod session;
mod user;
mod visits;

pub use host::McpHost;
pub use report::{AnsweredBy, ElicitationRecord};
pub(crate) use session::SessionOf;
pub use user::{ElicitUser, ElicitationRequest, UserQuestion};
