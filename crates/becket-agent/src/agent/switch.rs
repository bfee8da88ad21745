//! Replacing the open session by another one, and the spending of all of them.

use super::open::Agent;
use crate::session::OpenError;
use becket_llm::{Model, Usage};
use std::time::Duration;

/// Spending since the session was opened, including the sessions that replaced it and subagents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionUsage {
    /// Tokens.
    pub usage: Usage,
    /// US dollars, as far as prices are known; none if no price is.
    pub cost_usd: Option<f64>,
    /// Time that requests to models took.
    pub with_model: Duration,
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
        SessionUsage { usage: spent.usage, cost_usd: spent.cost_usd, with_model: spent.with_model }
    }
}
