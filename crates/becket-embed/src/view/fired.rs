//! An outcome, as `fire` shows it.

use super::background::BackgroundResult;
use super::hook::SkippedHook;
use super::planned::dropped;
use super::ran::RunReport;
use becket_engine::{Decision, Outcome, Settlement};
use becket_model::table::Audience;
use becket_model::{Attributed, Notice, ObservedAnswer};

pub use becket_fire::result::{EventResult, failed, for_the_user, why};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The runs and the verdict of an event's hooks.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FireReport {
    /// The event.
    pub event: &'static str,
    /// The value that matchers were tested against.
    pub subject: Option<String>,
    /// Required input fields that were not given.
    pub samples: Vec<&'static str>,
    /// `passed`, `blocked` or `waits`: the effect on the event itself, as in the exit codes 0, 2 and 3.
    pub result: EventResult,
    /// True if the event passed although a hook gave no usable answer, refused in a way that was not read, or could not be
    /// loaded: then the exit code is 4.
    pub unchecked: bool,
    /// `proceed`, `block` or `wait`: the host's next step. It is `block` if hooks stop the host after the event, and
    /// `wait` if a permission prompt is unanswered.
    pub decision: NextStep,
    /// Set if the call is denied only because the session has no user to ask.
    pub nobody_to_ask: bool,
    /// The hooks that ran, in order of listing.
    pub hooks: Vec<RunReport>,
    /// The hooks that do not run.
    pub skipped: Vec<SkippedHook>,
    /// The combined decision of the hooks.
    pub verdict: VerdictReport,
    /// The results of hooks that ran in the background, in the order of their ends.
    pub background: Vec<BackgroundResult>,
}

/// The host's next step ([`Decision`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// The host proceeds.
    Proceed,
    /// The host does not proceed.
    Block,
    /// The host asks the user first, or waits for the session to be resumed.
    Wait,
}

impl From<Decision> for NextStep {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Proceed => NextStep::Proceed,
            Decision::Block => NextStep::Block,
            Decision::Wait => NextStep::Wait,
        }
    }
}

/// The verdict.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct VerdictReport {
    /// The decision: `none`, `allow`, `ask`, `defer`, `deny`, `block`, `accept`, `cancel`, `decline`, `created` or
    /// `failed`.
    pub ruling: &'static str,
    /// The combined result of hooks and permission rules on tool calls: `allowed`, `denied`, `asked`, `deferred`,
    /// `stopped` or `open`.
    pub settlement: Option<&'static str>,
    /// The reason.
    pub reason: Option<String>,
    /// Set if the host stops after the event.
    pub stop: Option<StopRequest>,
    /// The context for the model.
    pub context: Vec<AttributedText>,
    /// The messages for the user.
    pub messages: Vec<AttributedText>,
    /// The messages without effect on the decision.
    pub notices: Vec<AttributedText>,
    /// The failures of hooks, and refusals of hooks that were not read.
    pub failures: Vec<AttributedText>,
    /// The answers of hooks in observation, which had no effect: the effect that each would have had, and its reason.
    pub observed: Vec<AttributedText>,
    /// Notes on how the verdict was reached: rewrites that lost, defers read as asks.
    pub warnings: Vec<String>,
    /// The other fields that the hooks set, as a hook would print them.
    pub fields: serde_json::Map<String, Value>,
}

/// A request to stop the host (`continue: false`).
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StopRequest {
    /// The reason for the user (`stopReason`).
    pub reason: Option<String>,
}

/// A text and its source.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AttributedText {
    /// The origin of the hook.
    pub source: String,
    /// The hook's name for people.
    pub label: String,
    /// Its reader: `user`, `model`, `both` or `log`.
    pub to: &'static str,
    /// The text itself.
    pub text: String,
}

impl FireReport {
    /// Converts an outcome.
    pub fn new(outcome: &Outcome, subject: Option<&str>, samples: Vec<&'static str>) -> Self {
        FireReport {
            event: outcome.verdict.event.name(),
            subject: subject.map(str::to_owned),
            samples,
            result: EventResult::of(outcome),
            decision: outcome.decision().into(),
            nobody_to_ask: outcome.nobody_to_ask,
            unchecked: EventResult::of(outcome) == EventResult::Passed
                && (outcome.runs.iter().any(|run| run.is_unchecked())
                    || outcome.plan.rejected().next().is_some()),
            hooks: outcome.runs.iter().map(|run| RunReport::new(run)).collect(),
            skipped: dropped(&outcome.plan),
            verdict: VerdictReport::new(outcome),
            background: Vec::new(),
        }
    }

    /// Returns the exit code of the outcome.
    pub const fn exit_code(&self) -> u8 {
        if self.unchecked { 4 } else { self.result.exit_code() }
    }
}

impl VerdictReport {
    fn new(outcome: &Outcome) -> Self {
        let verdict = &outcome.verdict;
        let notice = |attributed: &Attributed<Notice>| {
            AttributedText::new(attributed, audience(attributed.what.to), attributed.what.text.clone())
        };
        VerdictReport {
            ruling: verdict.ruling.word(),
            settlement: outcome.settlement.as_ref().map(Settlement::as_str),
            reason: why(outcome),
            stop: verdict.stop.as_ref().map(|one| StopRequest { reason: one.what.reason.clone() }),
            context: verdict
                .context
                .iter()
                .map(|s| AttributedText::new(s, "model", s.what.text.clone()))
                .collect(),
            messages: verdict
                .messages
                .iter()
                .map(|s| AttributedText::new(s, "user", s.what.clone()))
                .collect(),
            notices: verdict.notices.iter().filter(|s| !s.what.unchecked).map(notice).collect(),
            failures: verdict
                .failures
                .iter()
                .map(|s| AttributedText::new(s, "user", failed(s)))
                .chain(lost_refusals(&verdict.notices))
                .collect(),
            observed: verdict.observed.iter().map(observed).collect(),
            warnings: verdict.warnings.clone(),
            fields: becket_fire::fired_fields::of(verdict),
        }
    }
}

/// Returns the notices about refusals that were not read.
fn lost_refusals(notices: &[Attributed<Notice>]) -> impl Iterator<Item = AttributedText> {
    let lost = notices.iter().filter(|notice| notice.what.unchecked);
    lost.map(|notice| AttributedText::new(notice, "user", format!("not checked: {}", notice.what.text)))
}

fn observed(attributed: &Attributed<ObservedAnswer>) -> AttributedText {
    let reason = attributed.what.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    AttributedText::new(attributed, "log", format!("{}{reason}", attributed.what.effect.describe()))
}

/// Returns the name of the reader.
pub const fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::None => "nobody",
        Audience::User => "user",
        Audience::Model => "model",
        Audience::Both => "both",
        Audience::Log => "log",
    }
}

impl AttributedText {
    fn new<T>(one: &Attributed<T>, to: &'static str, text: String) -> Self {
        AttributedText { source: one.source.to_string(), label: one.label.to_string(), to, text }
    }
}
