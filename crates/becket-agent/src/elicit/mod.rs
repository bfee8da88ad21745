//! Questions of MCP servers, answered by hooks and by the user (`protocol.md` X6).
//!
//! The way: Elicitation hooks → where none answers, the user → ElicitationResult hooks, which may change what the user
//! answered → back to the server. Where nobody is there to answer, the question is cancelled, and ElicitationResult hooks see
//! that cancel: one may still fill in the form.
//!
//! INVARIANT: what goes back to a server has the shape that it asked for. Content of a hook that does not fit is a named
//! failure and no answer (O10); the next in line decides.
//!
//! It refuses addresses other than `http` and `https`, before anybody sees them; to open an address; and to lend a model
//! or directories by itself: another [`becket_mcp::Host`] stands behind it for these.

mod asking;
mod form;
mod host;
mod report;
mod said;
mod session;
mod user;
mod visits;

pub use host::McpHost;
pub use report::{AnsweredBy, Elicited};
pub(crate) use session::SessionOf;
pub use user::{ElicitUser, UserQuestion, Wanted};
