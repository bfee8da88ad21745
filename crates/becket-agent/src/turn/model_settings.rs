//! The request settings that a host chooses.

use super::agent_loop::AgentLoop;
use super::session_shared::SessionShared;
use crate::update::Notice;
use becket_llm::{Effort, Model, Request, Thinking, ThinkingDisplay};
use std::sync::PoisonError;

/// The minimum number of tokens that remain for the answer after the thoughts.
const ANSWER: u32 = 1_024;

/// The settings of all requests of a session, including those of subagents. If a provider does not support a setting,
/// the others are still sent, and the user gets a warning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// The thinking before an answer.
    pub thinking: Thinking,
    /// The form in which thoughts are returned.
    pub thinking_display: Option<ThinkingDisplay>,
    /// The effort that the model puts into an answer.
    pub effort: Option<Effort>,
    /// The token budget that the model may plan with.
    pub task_budget: Option<u64>,
}

impl SessionShared {
    /// Applies the settings to a request to this model.
    pub(crate) fn with_settings(&self, model: &dyn Model, request: Request) -> Request {
        let ModelSettings { thinking_display, effort, task_budget, .. } = self.options.model;
        let thinking = *self.thinking.lock().unwrap_or_else(PoisonError::into_inner);
        let most = model.spec().max_output.unwrap_or(u32::MAX);
        let (max_tokens, thinking) = match thinking {
            // Thoughts count as part of an answer.
            Thinking::Budget(tokens) => {
                let max_tokens = self.options.max_tokens.saturating_add(tokens).min(most);
                (max_tokens, Thinking::Budget(tokens.min(max_tokens.saturating_sub(ANSWER))))
            }
            Thinking::Off | Thinking::Default | Thinking::Adaptive => {
                (self.options.max_tokens.min(most), thinking)
            }
        };
        Request { max_tokens, thinking, thinking_display, effort, task_budget, ..request }
    }

    /// Sets the thinking from the next request on.
    pub(crate) fn set_thinking(&self, thinking: Thinking) {
        *self.thinking.lock().unwrap_or_else(PoisonError::into_inner) = thinking;
    }
}

impl AgentLoop {
    /// Warns, once, about settings of a request that were not sent to the model.
    pub(super) fn warn_of_ignored(&self, request: &Request) {
        for setting in self.model.ignored(request) {
            let warning =
                format!("`{setting}` is not supported by `{}`: its requests go without", self.model.name());
            let is_new =
                self.shared.warned.lock().unwrap_or_else(PoisonError::into_inner).insert(warning.clone());
            if is_new {
                self.updates.notice(Notice::warning(warning));
            }
        }
    }
}
