//! Another model for the rest of a turn whose own model is overloaded.
//!
//! INVARIANT: a turn falls back at most once, and never if PreModelSwitch blocks the switch; the next turn starts with
//! its own model again. The user is notified each time.

use super::agent_loop::AgentLoop;
use super::switch::Switch;
use crate::update::Notice;
use becket_engine::CancellationToken;
use becket_llm::{Model, ModelError};
use std::fmt;
use std::sync::Arc;

/// The fallback model, and its name for the host.
#[derive(Clone)]
pub(crate) struct Fallback {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) requested: String,
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fallback").field(&self.requested).finish()
    }
}

/// The state of an agent loop's fallback model.
#[derive(Clone, Default)]
pub(crate) enum Aside {
    /// The agent's own model is in use.
    #[default]
    Nobody,
    /// The fallback model is in use; this is the agent's own model, which is used again from the next turn on.
    For(Arc<dyn Model>),
    /// No fallback for the rest of this turn: a hook has blocked it.
    Refused,
}

impl AgentLoop {
    /// Returns the agent's own model.
    pub(super) fn own_model(&self) -> &Arc<dyn Model> {
        match &self.aside {
            Aside::For(own) => own,
            Aside::Nobody | Aside::Refused => &self.model,
        }
    }

    /// Returns whether there is another model to ask, given this error.
    pub(super) fn may_fall_back(&self, error: &ModelError) -> bool {
        let other =
            self.shared.fallback.as_ref().is_some_and(|other| other.model.name() != self.model.name());
        other && matches!(self.aside, Aside::Nobody) && matches!(error, ModelError::Overloaded { .. })
    }

    /// Switches to the fallback model. Returns false if a hook blocks the switch, or the caller no longer waits.
    pub(super) async fn fall_back(&mut self, error: &ModelError, cancel: &CancellationToken) -> bool {
        let Some(Fallback { model, requested }) = self.shared.fallback.clone() else { return false };
        let switch = Switch {
            from: self.model.name().to_owned(),
            to: model.name().to_owned(),
            requested,
            source: "fallback".to_owned(),
        };
        let fired = self.fire(switch.before(), cancel).await;
        let verdict = &fired.outcome.verdict;
        if cancel.is_cancelled() {
            return false;
        }
        if verdict.blocks() {
            let because = verdict.joined_reason().unwrap_or_default();
            self.updates.notice(Notice::warning(format!("{} is not asked instead: {because}", switch.to)));
            // A denial applies to the rest of the turn: hooks are not asked until one allows it.
            self.aside = Aside::Refused;
            return false;
        }
        let text = format!("{error}: {} answers for the rest of this turn", switch.to);
        self.updates.notice(Notice::warning(text));
        self.aside = Aside::For(std::mem::replace(&mut self.model, model));
        self.fire(switch.after(), cancel).await;
        true
    }

    /// Restores the agent's own model at the end of a turn, or at the start of one after a dropped turn.
    pub(super) fn own_model_again(&mut self) {
        if let Aside::For(own) = std::mem::take(&mut self.aside) {
            self.model = own;
        }
    }
}
