//! The session whose turns end.

use super::prompt_progress::PromptProgress;
use crate::agent::Agent;
use becket_llm::Models;
use becket_model::PromptId;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The end-of-turn tasks of a session, which they must not keep alive: they are registered before it is open
/// ([`EndTasks::opened`]). Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct EndTasks {
    agent: Arc<Mutex<Option<Agent>>>,
    pub(super) progress: PromptProgress,
    pub(super) models: Arc<dyn Models>,
}

impl EndTasks {
    /// Creates tasks that use the small fast model of `models`.
    #[must_use]
    pub fn new(models: Arc<dyn Models>) -> Self {
        Self { agent: Arc::default(), progress: PromptProgress::default(), models }
    }

    /// Registers the open session.
    pub fn opened(&self, agent: &Agent) {
        *self.agent.lock().unwrap_or_else(PoisonError::into_inner) = Some(agent.clone());
    }

    /// Records that the session is closed.
    pub fn closed(&self) {
        self.agent.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Records the start of a prompt.
    pub fn prompt_started(&self) {
        self.progress.started();
    }

    /// Records that the result of a prompt was reported; `None` means a prompt without a request to the model.
    pub fn prompt_ended(&self, prompt: Option<PromptId>) {
        self.progress.ended(prompt);
    }

    pub(super) fn agent(&self) -> Option<Agent> {
        self.agent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for EndTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndTasks").field("progress", &self.progress).finish_non_exhaustive()
    }
}
