//! The Agent Client Protocol (ACP) between an editor and an agent: its messages read as events, and decisions written as
//! its messages. For a proxy between the two.
//!
//! - [`Frame`]: one line, parsed as far as a relay needs it
//! - [`ToolCall`]: a tool call, as the agent describes it piece by piece, and the calls of the protocol that it stands
//!   for
//! - [`effect_call`]: a request of the agent that itself reads, writes or runs something
//! - [`PromptText`]: the text of a prompt, and context added to it
//! - [`PermissionOptions`]: the answers that an agent offers for a permission
//!
//! INVARIANT: a message that can't be read is an error, never one without a decision.

mod call;
mod frame;
mod json;
mod permission;
mod prompt;

use crate::read::parts::MOST;

pub use call::{AcpCall, ToolCall, effect_call};
pub use frame::{Frame, FrameKind};
pub use permission::{PermissionOptions, Selection};
pub use prompt::PromptText;

/// The reason why a message can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AcpError {
    /// The text is not JSON, or not a message.
    #[error("it is not a message of JSON-RPC: {0}")]
    NotMessage(String),
    /// A key occurs twice: a reader may take either value.
    #[error("`{0}` occurs twice")]
    DuplicateKey(String),
    /// A field is missing or of another type.
    #[error("`{field}` is {problem}")]
    Field {
        /// The field.
        field: &'static str,
        /// The problem.
        problem: &'static str,
    },
    /// The agent does not describe what the call does.
    #[error("a call of the kind `{kind}` does not say {what}")]
    Vague {
        /// The kind of the call.
        kind: String,
        /// The missing part.
        what: &'static str,
    },
    /// The call stands for more calls than are judged together.
    #[error("it contains more than {MOST} calls; becket checks at most {MOST} together, so split it")]
    TooMany,
}

impl AcpError {
    fn missing(field: &'static str) -> Self {
        AcpError::Field { field, problem: "missing or of another type" }
    }
}
