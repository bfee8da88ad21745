//! Replacing the open session, and the spending of all sessions.

use super::open::Agent;
use crate::checkpoints::{RewindError, Rewound};
use crate::session::OpenError;
use becket_llm::{Model, ModelSpec, Usage};
use std::time::Duration;

/// The spending since the session was opened, including the sessions that replaced it and subagents.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionUsage {
    /// The tokens used.
    pub usage: Usage,
    /// The cost in US dollars; `None` if the cost of an answer is unknown.
    pub cost_usd: Option<f64>,
    /// The spending on each model.
    pub models: Vec<ModelUsage>,
    /// The time spent on requests to models.
    pub with_model: Duration,
}

/// The spending on one model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelUsage {
    /// The name of the model in messages.
    pub model: String,
    /// The tokens used.
    pub usage: Usage,
    /// The cost in US dollars; `None` if the cost of an answer is unknown.
    pub cost_usd: Option<f64>,
    /// The size and the price of the model, as far as they are known.
    pub spec: ModelSpec,
}

impl Agent {
    /// Ends the conversation (SessionEnd `resume`) and resumes a stored one (SessionStart `resume`), in its own
    /// transcript. Mode, model, working directory and rules stay the current ones.
    ///
    /// # Errors
    /// Errors if the other session can't be opened: sessions are not stored, the id is unknown, or the session is in
    /// use, as this one is itself. Nothing has changed then.
    pub async fn resume(&self, id: &str) -> Result<(), OpenError> {
        self.main.lock().await.resume(id).await
    }

    /// Sets the title of the session if it has none, and returns whether it did. A title that a hook, the user or the
    /// host has given is kept. Waits for the running turn.
    pub async fn title_if_none(&self, title: &str) -> bool {
        let mut main = self.main.lock().await;
        let is_free = self.shared.title().is_none();
        if is_free {
            main.agent_loop.suggest_title(title);
        }
        is_free
    }

    /// Counts an answer that the host requested from a model on behalf of the session.
    pub(crate) fn also_spent(&self, model: &dyn Model, usage: Usage) {
        self.shared.meter.answered(model, usage);
    }

    /// Returns the spending so far.
    #[must_use]
    pub fn spent(&self) -> SessionUsage {
        let spent = self.shared.meter.spent();
        let cost_usd = spent.cost_usd();
        let models = spent.models.into_iter().map(|(model, of)| {
            let cost_usd = of.cost_usd();
            ModelUsage { model, usage: of.usage, cost_usd, spec: of.spec }
        });
        SessionUsage { usage: spent.usage, cost_usd, models: models.collect(), with_model: spent.with_model }
    }

    /// Restores each file that tools have edited since a prompt to its content at that prompt; `dry` only finds them.
    /// `None` if the session keeps no checkpoints.
    ///
    /// # Errors
    /// See [`RewindError`].
    pub fn rewind_files(&self, prompt: &str, dry: bool) -> Option<Result<Rewound, RewindError>> {
        let checkpoints = self.shared.checkpoints.as_ref()?;
        Some(checkpoints.rewind(self.facts.session().id.as_str(), prompt, dry))
    }

    /// Returns whether the limit on the cost is reached, so that no more requests are sent.
    #[must_use]
    pub fn is_budget_spent(&self) -> bool {
        self.shared.is_budget_spent()
    }
}
