//! A tool call of a past session, as `explain --call` shows it.

use super::planned::PlanReport;
use schemars::JsonSchema;
use serde::Serialize;

/// A recorded tool call: the recorded answers of hooks, and the plan with the current configuration. It contains no
/// secrets.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallReport {
    /// The id of the call.
    pub call: String,
    /// The id of the session.
    pub session: String,
    /// The tool and the main part of its input, on one line.
    pub headline: String,
    /// The events of the call, in order.
    pub events: Vec<CallEvent>,
}

/// An event of a recorded tool call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallEvent {
    /// The transcript.
    pub file: String,
    /// The line in it, from 1.
    pub line: u64,
    /// The recorded moment, RFC 3339.
    pub time: Option<String>,
    /// The recorded answers of hooks. A hook that passes silently leaves no record.
    pub recorded: Vec<RecordedHook>,
    /// The plan with the current configuration, if the recorded input fits the event.
    pub plan: Option<PlanReport>,
    /// The reason why there is no plan.
    pub misfit: Option<String>,
}

/// The recorded answer of a hook.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedHook {
    /// Its command.
    pub command: String,
    /// `denied`, `printed`, `cancelled` or `ran`.
    pub result: &'static str,
    /// The exit code, if it is recorded.
    pub exit: Option<i32>,
    /// The reason of a denial, or the output, on one line.
    pub text: Option<String>,
    /// The time that it took, in milliseconds.
    pub elapsed_ms: Option<f64>,
}
