//! An event whose plan is made before it is fired.

use crate::engine::Engine;
use crate::engine::host_operations::HostOperations;
use crate::engine::{audit, fire};
use crate::plan::snapshot::Snapshot;
use crate::plan::tool_input;
use crate::plan::{Plan, PlannedRun};
use crate::report::outcome::Outcome;
use becket_model::Event;
use becket_process::CancellationToken;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// An event with its plan. When fired, it runs exactly that plan: handlers that are registered, removed or reloaded in
/// between affect the events after it.
#[must_use = "nothing runs until it is fired"]
pub struct ReadyEvent {
    engine: Engine,
    event: Event,
    /// The plan; `None` if no handler and no rule concerns the event.
    planned: Option<PlannedEvent>,
}

struct PlannedEvent {
    snapshot: Arc<Snapshot>,
    /// The event as hooks see it, if that differs from the given one (N3).
    normal: Option<Event>,
    plan: Plan,
}

impl HostOperations<'_> {
    /// Plans an event, to be fired with [`ReadyEvent::fire_until`]. Starts nothing.
    pub fn ready(self, event: Event) -> ReadyEvent {
        let planned = self.inner().is_configured(event.kind()).then(|| {
            let inner = self.inner();
            let snapshot = inner.snapshot();
            let normal = tool_input::normalize(&event, &inner.tools, inner.environment.home());
            let plan = fire::plan_for(inner, &snapshot, &normal);
            let normal = match normal {
                Cow::Borrowed(_) => None,
                Cow::Owned(normal) => Some(normal),
            };
            PlannedEvent { snapshot, normal, plan }
        });
        ReadyEvent { engine: self.engine().clone(), event, planned }
    }
}

impl ReadyEvent {
    /// Returns the handlers that it runs, in order of listing.
    pub fn runs(&self) -> &[PlannedRun] {
        self.planned.as_ref().map_or(&[], |planned| planned.plan.runs())
    }

    /// Runs it, as [`Engine::fire_until`] does; returns the event with its outcome.
    pub async fn fire_until(self, cancel: &CancellationToken) -> (Event, Outcome) {
        let ReadyEvent { engine, event, planned } = self;
        let outcome = match planned {
            None => audit::unconfigured_event(engine.inner(), &event),
            Some(PlannedEvent { snapshot, normal, plan }) => {
                let normal = normal.map_or(Cow::Borrowed(&event), Cow::Owned);
                fire::run_plan(engine.inner(), &snapshot, &event, normal, plan, cancel).await
            }
        };
        (event, outcome)
    }
}

impl fmt::Debug for ReadyEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadyEvent")
            .field("event", &self.event)
            .field("runs", &self.runs())
            .finish_non_exhaustive()
    }
}
