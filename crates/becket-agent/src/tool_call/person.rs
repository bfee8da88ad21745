//! The person who is asked for a permission.

use becket_engine::CancellationToken;
use becket_rules::PermissionUpdate;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A person who can be asked for a permission. One prompt at a time, in the order in which they came.
pub trait AskPermission: Send + Sync {
    /// Returns the time that PermissionRequest hooks have to answer before the person is asked; zero by default.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }

    /// Asks the person. `cancel` is cancelled once the answer is not needed: a hook has answered, or the call was
    /// cancelled;
    /// the future is dropped at the same moment. A panic in here denies the call.
    fn ask<'a>(
        &'a self,
        prompt: &'a PermissionPrompt,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, PermissionAnswer>;
}

impl AskPermission for Arc<dyn AskPermission> {
    fn ask<'a>(
        &'a self,
        prompt: &'a PermissionPrompt,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, PermissionAnswer> {
        (**self).ask(prompt, cancel)
    }

    fn patience(&self) -> Duration {
        (**self).patience()
    }
}

/// A permission prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionPrompt {
    /// The tool.
    pub tool: String,
    /// The call (`tool_use_id`).
    pub tool_use_id: String,
    /// The subagent that makes it; none for the session's own model.
    pub agent_id: Option<String>,
    /// The input it would run with: this and nothing else runs if the answer is yes.
    pub input: Map<String, Value>,
    /// Origin of the prompt, and its reason.
    pub because: String,
    /// The file outside the working directories that it reads or changes, if it is about one.
    pub outside: Option<PathBuf>,
    /// Rules that the person may want to add.
    pub suggestions: Vec<PermissionUpdate>,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// Yes.
    Allow {
        /// Rule updates that go with it, for the host to apply (P13).
        updates: Vec<PermissionUpdate>,
    },
    /// Yes, to another input, which the guards of the call have yet to see: hooks of PreToolUse, deny and ask rules,
    /// the
    /// tool's schema (D9). The same input as was shown is a plain yes. If a rule or a hook asks about the new one, the
    /// person is asked once more; another change then is a no.
    Rewritten {
        /// The new input.
        input: Map<String, Value>,
        /// Rule updates that go with it, for the host to apply (P13).
        updates: Vec<PermissionUpdate>,
    },
    /// Yes, with the answers that the tool asks for (D3): they go into `answers` of the input that was shown. For a tool
    /// that has no such field it is a no.
    Answered {
        /// By the text of the question.
        answers: Map<String, Value>,
    },
    /// No.
    Deny {
        /// Message for the model.
        message: Option<String>,
        /// Set if the turn ends.
        interrupt: bool,
    },
}
