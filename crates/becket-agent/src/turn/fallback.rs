//! Another model for the rest of a turn whose own is overloaded.
//!
//! INVARIANT: a turn falls back once at most, and never where PreModelSwitch keeps the model; the next turn begins with its
//! own model again. The user is told of each.

use super::agent_loop::AgentLoop;
use super::switch::Switch;
use crate::update::Notice;
use becket_engine::CancellationToken;
use becket_llm::{Model, ModelError};
use std::fmt;
use std::sync::Arc;

/// Who answers instead, by the name that the host gives it.
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

/// Whether another model answers in the place of a line of work's own.
#[derive(Clone, Default)]
pub(crate) enum Aside {
    /// None does.
    #[default]
    Nobody,
    /// One does; this is the own one, which is asked again from the next turn on.
    For(Arc<dyn Model>),
    /// None does for the rest of this turn: a hook has said no.
    Refused,
}

impl AgentLoop {
    /// The model that answers where nobody does in its place.
    pub(super) fn own_model(&self) -> &Arc<dyn Model> {
        match &self.aside {
            Aside::For(own) => own,
            Aside::Nobody | Aside::Refused => &self.model,
        }
    }

    /// Whether there is another model to ask, now that this one has failed in this way.
    pub(super) fn may_fall_back(&self, error: &ModelError) -> bool {
        let other =
            self.shared.fallback.as_ref().is_some_and(|other| other.model.name() != self.model.name());
        other && matches!(self.aside, Aside::Nobody) && matches!(error, ModelError::Overloaded { .. })
    }

    /// Asks the other one from now on. False where a hook keeps the one that is overloaded, or nobody wants an answer.
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
            // A no holds for the turn: to be asked until there is a yes is no question.
            self.aside = Aside::Refused;
            return false;
        }
        let text = format!("{error}: {} answers for the rest of this turn", switch.to);
        self.updates.notice(Notice::warning(text));
        self.aside = Aside::For(std::mem::replace(&mut self.model, model));
        self.fire(switch.after(), cancel).await;
        true
    }

    /// A turn is over, or one begins after one that was dropped: whoever asks the model next asks its own.
    pub(super) fn own_model_again(&mut self) {
        if let Aside::For(own) = std::mem::take(&mut self.aside) {
            self.model = own;
        }
    }
}
