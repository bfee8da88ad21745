//! What hooks came to that went on in the background, as `fire` shows it.

use becket_engine::{Delivered, Wake};
use becket_model::Failure;
use schemars::JsonSchema;
use serde::Serialize;

/// A hook that the event did not wait for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Left {
    /// Whose it is.
    pub source: String,
    /// What people know it by.
    pub label: String,
    /// `success`, `blocked` (it wakes the model), `error` or `cancelled`.
    pub status: &'static str,
    /// Its exit code, where it had one.
    pub exit: Option<i32>,
    /// How long it ran, in milliseconds.
    pub elapsed_ms: f64,
    /// For the model, on its next turn.
    pub context: Vec<String>,
    /// What it wakes an idle model with.
    pub reminder: Option<String>,
    /// Why it gave no usable answer, or ended with an error.
    pub failure: Option<String>,
    /// What its author should know.
    pub warnings: Vec<String>,
}

/// Puts results and wakes of the same runs together.
pub fn left(delivered: Vec<Delivered>, mut wakes: Vec<Wake>) -> Vec<Left> {
    let with_wake = |one: Delivered| {
        let wake = wakes.iter().position(|wake| wake.id == one.id).map(|at| wakes.remove(at));
        Left {
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

/// What background hooks have come to (A3, A4).
#[derive(Debug, Serialize, JsonSchema)]
pub struct Taken {
    /// What they came to, in the order of their ends.
    pub background: Vec<Left>,
    /// What wakes an idle model.
    pub wakes: Vec<Woken>,
}

/// A wake.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Woken {
    /// Whose hook.
    pub source: String,
    /// Which hook.
    pub label: String,
    /// What the model is told.
    pub reminder: String,
}

impl From<Wake> for Woken {
    fn from(wake: Wake) -> Self {
        Woken { source: wake.source.to_string(), label: wake.label.to_string(), reminder: wake.reminder }
    }
}
