//! The time that hooks may take: for reports about it, and not a limit.

use becket_model::EventKind;
use std::collections::BTreeMap;
use std::time::Duration;

/// The time that hooks may take: one for all events, or one for each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookBudget {
    /// The budget of all events without their own.
    pub all: Option<Duration>,
    /// The budgets of single events.
    pub events: BTreeMap<EventKind, Duration>,
}

impl HookBudget {
    /// Returns the budget of the hooks of an event.
    pub fn of(&self, event: EventKind) -> Option<Duration> {
        self.events.get(&event).copied().or(self.all)
    }
}
