//! The settings of requests that a host chooses.

use super::agent_loop::AgentLoop;
use super::session_shared::SessionShared;
use crate::update::Notice;
use becket_llm::{Effort, Model, Request, Thinking, ThinkingDisplay};
use std::sync::PoisonError;

/// The fewest tokens that are left for the answer beside the thoughts.
const ANSWER: u32 = 1_024;

/// Settings of all requests of a session, subagents included. A provider that does not support one gets the others, and
/// the user a warning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// The thinking before an answer.
    pub thinking: Thinking,
    /// The form in which thoughts are returned.
    pub thinking_display: Option<ThinkingDisplay>,
    /// The effort.
    pub effort: Option<Effort>,
    /// The tokens that the model may plan with.
    pub task_budget: Option<u64>,
}

impl SessionShared {
    /// Applies the settings to a request to this model.
    pub(crate) fn with_settings(&self, model: &dyn Model, request: Request) -> Request {
        let ModelSettings { thinking_display, effort, task_budget, .. } = self.options.model;
        let thinking = *self.thinking.lock().unwrap_or_else(PoisonError::into_inner);
        let most = model.spec().max_output.unwrap_or(u32::MAX);
        let (max_tokens, thinking) = match thinking {
            // The thoughts are part of an answer.
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
    /// Warns, once, of settings that the model of a request did not get.
    pub(super) fn warn_of_ignored(&self, request: &Request) {
        for setting in self.model.ignored(request) {
            let told =
                format!("`{setting}` is not supported by `{}`: its requests go without", self.model.name());
            let is_new =
                self.shared.warned.lock().unwrap_or_else(PoisonError::into_inner).insert(told.clone());
            if is_new {
                self.updates.notice(Notice::warning(told));
            }
        }
    }
}
