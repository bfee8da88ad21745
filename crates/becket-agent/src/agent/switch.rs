//! Replacing the open session by another one, and the spending of all of them.

use super::open::Agent;
use crate::checkpoints::{RewindError, Rewound};
use crate::session::OpenError;
use becket_llm::{Model, ModelSpec, Usage};
use std::time::Duration;

/// Spending since the session was opened, including the sessions that replaced it and subagents.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionUsage {
    /// Tokens.
    pub usage: Usage,
    /// US dollars; `None` if the cost of an answer is not known.
    pub cost_usd: Option<f64>,
    /// The part of each model.
    pub models: Vec<ModelUsage>,
    /// Time that requests to models took.
    pub with_model: Duration,
}

/// Spending on one model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelUsage {
    /// The model, as messages call it.
    pub model: String,
    /// Tokens.
    pub usage: Usage,
    /// US dollars; `None` if the cost of an answer is not known.
    pub cost_usd: Option<f64>,
    /// The size and the price of the model, as far as they are known.
    pub spec: ModelSpec,
}

impl Agent {
    /// Ends the conversation (SessionEnd `resume`) and resumes a stored one (SessionStart `resume`), in its own
    /// transcript. Mode, model, working directory and rules stay those of now.
    ///
    /// # Errors
    /// The other session can't be opened: nothing is stored, there is none of that id, or it is in use, which this one
    /// is, too. Nothing has changed then.
    pub async fn resume(&self, id: &str) -> Result<(), OpenError> {
        self.main.lock().await.resume(id).await
    }

    /// Calls the session so, if it is called nothing; whether it is called so now. A title that a hook, the user or the host
    /// has given stays. Waits for the turn that works.
    pub async fn title_if_none(&self, title: &str) -> bool {
        let mut main = self.main.lock().await;
        let is_free = self.shared.title().is_none();
        if is_free {
            main.agent_loop.retitle(title);
        }
        is_free
    }

    /// Counts an answer that the host has asked a model for on behalf of the session.
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

    /// Gives each file that tools have edited since a prompt the content that it had then; `dry` only finds them. `None`
    /// if the session keeps no checkpoints.
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
