//! The record of a call so far.

use becket_engine::{CancellationToken, Engine, Outcome};
use becket_model::{Attributed, Event, SandboxAnswer};
use becket_rules::PermissionUpdate;
use serde_json::{Map, Value};
use std::time::Duration;

/// Collects the contents of a report, except the end.
#[derive(Debug, Default)]
pub(super) struct HookLog {
    pub(super) input: Option<Map<String, Value>>,
    pub(super) took: Option<Duration>,
    pub(super) interrupt: bool,
    pub(super) updates: Vec<PermissionUpdate>,
    pub(super) classifier_context: Option<String>,
    pub(super) denied_too_often: Option<u32>,
    pub(super) warnings: Vec<String>,
    /// The rights that hooks have left to the call so far (E5).
    pub(super) sandbox: Vec<Attributed<SandboxAnswer>>,
    pub(super) outcomes: Vec<Outcome>,
}

impl HookLog {
    /// Fires an event and records its outcome.
    pub(super) async fn fire(
        &mut self,
        engine: &Engine,
        event: &Event,
        cancel: &CancellationToken,
    ) -> Outcome {
        let outcome = engine.fire_until(event, cancel).await;
        self.sandbox.extend(outcome.verdict.fields.sandbox.iter().cloned());
        self.outcomes.push(outcome.clone());
        outcome
    }

    /// Fires the guards of a call for another input, and records the outcome.
    pub(super) async fn look_again(
        &mut self,
        engine: &Engine,
        event: &Event,
        cancel: &CancellationToken,
    ) -> Outcome {
        let outcome = engine.host().review_rewrite(event, cancel).await;
        self.sandbox.extend(outcome.verdict.fields.sandbox.iter().cloned());
        self.outcomes.push(outcome.clone());
        outcome
    }
}
