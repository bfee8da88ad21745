//! The person who is asked for a permission.

use becket_engine::CancellationToken;
use becket_rules::PermissionUpdate;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A person who can be asked for a permission, one prompt at a time, in the order of arrival.
pub trait AskPermission: Send + Sync {
    /// Returns the time that PermissionRequest hooks have to answer before the person is asked; zero by default.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }

    /// Asks the person. `cancel` is cancelled once the answer is not needed, because a hook has answered or the call
    /// was cancelled; the future is dropped at the same moment. A panic denies the call.
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
    /// The name of the tool.
    pub tool: String,
    /// The id of the call (`tool_use_id`).
    pub tool_use_id: String,
    /// The subagent that makes the call; `None` for the session's own model.
    pub agent_id: Option<String>,
    /// The input that the call would run with: if the answer is yes, exactly this input is used.
    pub input: Map<String, Value>,
    /// The origin of the prompt, and the reason.
    pub because: String,
    /// The file outside the working directories that the call reads or changes, if any.
    pub outside: Option<PathBuf>,
    /// Rules that the person may want to add.
    pub suggestions: Vec<PermissionUpdate>,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// The call is allowed.
    Allow {
        /// Rule updates of the answer, for the host to apply (P13).
        updates: Vec<PermissionUpdate>,
    },
    /// The call is allowed with another input, which the guards of the call have yet to check: hooks of PreToolUse,
    /// deny and ask rules, the tool's schema (D9). If it is the input that was shown, this is `Allow`. If a rule or a
    /// hook asks about the new input, the person is asked once more; another change then counts as a denial.
    Rewritten {
        /// The new input.
        input: Map<String, Value>,
        /// Rule updates of the answer, for the host to apply (P13).
        updates: Vec<PermissionUpdate>,
    },
    /// The call is allowed, with the answers that the tool asks for (D3): they are added to `answers` of the input that
    /// was shown. For a tool without this field it counts as a denial.
    Answered {
        /// The answers, by the text of the question.
        answers: Map<String, Value>,
    },
    /// The call is denied.
    Deny {
        /// The message for the model.
        message: Option<String>,
        /// Set if the turn ends.
        interrupt: bool,
    },
}
