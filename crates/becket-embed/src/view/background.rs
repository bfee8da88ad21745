//! The results of hooks that ran in the background, as `fire` shows them.

use becket_engine::{BackgroundDelivery, Wake};
use becket_model::Failure;
use schemars::JsonSchema;
use serde::Serialize;

/// A hook that the event did not wait for.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BackgroundResult {
    /// The origin of the hook.
    pub source: String,
    /// Its name for people.
    pub label: String,
    /// `success`, `blocked` (it wakes the model), `error` or `cancelled`.
    pub status: &'static str,
    /// Its exit code, if it has one.
    pub exit: Option<i32>,
    /// Its run time in milliseconds.
    pub elapsed_ms: f64,
    /// The context for the model's next turn.
    pub context: Vec<String>,
    /// The text that wakes an idle model.
    pub reminder: Option<String>,
    /// The reason why its answer can't be used, or its error.
    pub failure: Option<String>,
    /// Warnings for its author.
    pub warnings: Vec<String>,
}

/// Merges results and wakes of the same runs.
pub fn left(delivered: Vec<BackgroundDelivery>, mut wakes: Vec<Wake>) -> Vec<BackgroundResult> {
    let with_wake = |one: BackgroundDelivery| {
        let wake = wakes.iter().position(|wake| wake.id == one.id).map(|at| wakes.remove(at));
        BackgroundResult {
            source: one.source.to_string(),
            label: one.label.to_string(),
            status: one.outcome.as_str(),
            exit: one.exit,
            elapsed_ms: super::ran::ms(one.elapsed),
            context: one.contexts,
            reminder: wake.map(|wake| wake.reminder),
            failure: one.failure.as_ref().map(Failure::to_string),
            warnings: one.warnings,
        }
    };
    delivered.into_iter().map(with_wake).collect()
}

/// The results of background hooks (A3, A4).
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BackgroundResults {
    /// The results, in the order of their ends.
    pub background: Vec<BackgroundResult>,
    /// The wakes for an idle model.
    pub wakes: Vec<WakeReminder>,
}

/// A wake.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WakeReminder {
    /// The origin of the hook.
    pub source: String,
    /// Its name for people.
    pub label: String,
    /// The text for the model.
    pub reminder: String,
}

impl From<Wake> for WakeReminder {
    fn from(wake: Wake) -> Self {
        WakeReminder {
            source: wake.source.to_string(),
            label: wake.label.to_string(),
            reminder: wake.reminder,
        }
    }
}
