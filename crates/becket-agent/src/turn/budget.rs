//! The host's limit on the cost of a session.
//!
//! INVARIANT: no request is sent once the limit is reached, nor to a model whose cost is unknown: the answer that
//! reaches the limit is the last one. A limit of 0 allows no request.

use super::agent_loop::AgentLoop;
use super::end::EndReason;
use super::session_shared::SessionShared;
use crate::update::Origin;

impl SessionShared {
    /// Returns whether the session has reached the limit.
    pub(crate) fn is_budget_spent(&self) -> bool {
        self.budget_usd.is_some_and(|limit| self.meter.spent().cost_usd().is_none_or(|cost| cost >= limit))
    }
}

impl AgentLoop {
    /// Before a request: returns the reason to end the turn instead, if the cost does not allow another one.
    pub(super) fn out_of_budget(&self) -> Option<EndReason> {
        let limit_usd = self.shared.budget_usd?;
        let spent = self.shared.meter.spent();
        let own = self.model.price().is_none().then(|| self.model.name());
        let unpriced = spent.unpriced().or(own).map(str::to_owned);
        (unpriced.is_some() || self.shared.is_budget_spent())
            .then_some(EndReason::BudgetSpent { limit_usd, unpriced })
    }

    /// At the end of a turn: returns the limit as the reason if the last answer has reached it.
    pub(super) fn within_budget(&self, reason: EndReason) -> EndReason {
        let is_done = matches!(reason, EndReason::Completed | EndReason::Capped { .. });
        match self.out_of_budget().filter(|_| is_done && self.origin == Origin::Main) {
            Some(spent) => spent,
            None => reason,
        }
    }
}
