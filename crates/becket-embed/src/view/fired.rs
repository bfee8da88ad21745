//! An outcome, as `fire` shows it.

use super::background::Left;
use super::hook::Dropped;
use super::planned::dropped;
use super::ran::Ran;
use becket_engine::{Outcome, Settlement};
use becket_model::table::Audience;
use becket_model::{Failure, Notice, Said, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// What the hooks of an event did and decided.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fired {
    /// The event.
    pub event: &'static str,
    /// What matchers were tested against.
    pub subject: Option<String>,
    /// Required input fields that nobody gave.
    pub samples: Vec<&'static str>,
    /// `passed`, `blocked` or `waits`: what the exit codes 0, 2 and 3 say.
    pub result: Result,
    /// The hooks that ran, in order of listing.
    pub hooks: Vec<Ran>,
    /// What does not run.
    pub skipped: Vec<Dropped>,
    /// What the hooks decided together.
    pub verdict: Decided,
    /// What the hooks came to that went on in the background, in the order of their ends.
    pub background: Vec<Left>,
}

/// What becomes of what the event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Result {
    /// Nothing speaks against it.
    Passed,
    /// It is held back.
    Blocked,
    /// A person is asked, or it waits for the session to be resumed.
    Waits,
}

/// The verdict.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Decided {
    /// What the hooks decided: `none`, `allow`, `ask`, `defer`, `deny`, `block`, `accept`, `cancel`, `decline`,
    /// `created` or `failed`.
    pub ruling: &'static str,
    /// On tool calls, what hooks and permission rules come to: `allowed`, `denied`, `asked`, `deferred`, `stopped` or
    /// `open`.
    pub settlement: Option<&'static str>,
    /// Why.
    pub reason: Option<String>,
    /// Set where the host stops after the event.
    pub stop: Option<Stopped>,
    /// For the model.
    pub context: Vec<Told>,
    /// For the user.
    pub messages: Vec<Told>,
    /// What is told and decides nothing.
    pub notices: Vec<Told>,
    /// What went wrong in hooks.
    pub failures: Vec<Told>,
    /// How the verdict came about: rewrites that lost, defers read as asks.
    pub warnings: Vec<String>,
    /// The other fields that the hooks set, as a hook would print them.
    pub fields: serde_json::Map<String, Value>,
}

/// `continue: false`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Stopped {
    /// `stopReason`
    pub reason: Option<String>,
}

/// A text and who said it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Told {
    /// Whose hook.
    pub source: String,
    /// Which hook.
    pub label: String,
    /// Who reads it: `user`, `model`, `both` or `log`.
    pub to: &'static str,
    /// What it says.
    pub text: String,
}

impl Fired {
    /// Reads an outcome.
    pub fn new(outcome: &Outcome, subject: Option<&str>, samples: Vec<&'static str>) -> Self {
        Fired {
            event: outcome.verdict.event.name(),
            subject: subject.map(str::to_owned),
            samples,
            result: result(outcome),
            hooks: outcome.runs.iter().map(|run| Ran::new(run)).collect(),
            skipped: dropped(&outcome.plan),
            verdict: Decided::new(outcome),
            background: Vec::new(),
        }
    }
}

/// What an outcome comes to. On a tool call the permission rules have their say in it.
pub fn result(outcome: &Outcome) -> Result {
    let verdict = &outcome.verdict;
    match &outcome.settlement {
        Some(Settlement::Denied { .. } | Settlement::Stopped { .. }) => Result::Blocked,
        Some(Settlement::Asked { .. } | Settlement::Deferred) => Result::Waits,
        Some(Settlement::Allowed { .. } | Settlement::Open) => Result::Passed,
        None if verdict.blocks() => Result::Blocked,
        None if verdict.asks_or_defers() => Result::Waits,
        None => Result::Passed,
    }
}

impl Result {
    /// The exit code that says it.
    pub const fn exit_code(self) -> u8 {
        match self {
            Result::Passed => 0,
            Result::Blocked => 2,
            Result::Waits => 3,
        }
    }
}

impl Decided {
    fn new(outcome: &Outcome) -> Self {
        let verdict = &outcome.verdict;
        let told = |said: &Said<Notice>| Told::new(said, audience(said.what.to), said.what.text.clone());
        Decided {
            ruling: verdict.ruling.word(),
            settlement: outcome.settlement.as_ref().map(settlement),
            reason: why(outcome),
            stop: verdict.stop.as_ref().map(|said| Stopped { reason: said.what.reason.clone() }),
            context: verdict.context.iter().map(|s| Told::new(s, "model", s.what.text.clone())).collect(),
            messages: verdict.messages.iter().map(|s| Told::new(s, "user", s.what.clone())).collect(),
            notices: verdict.notices.iter().map(told).collect(),
            failures: verdict.failures.iter().map(|s| Told::new(s, "user", failed(s))).collect(),
            warnings: verdict.warnings.clone(),
            fields: super::fired_fields::of(verdict),
        }
    }
}

/// The words behind the result: those of the settlement, which may be a rule's, else those of the hooks.
pub fn why(outcome: &Outcome) -> Option<String> {
    let settled = match &outcome.settlement {
        Some(
            Settlement::Allowed { because }
            | Settlement::Denied { because }
            | Settlement::Asked { because }
            | Settlement::Stopped { because },
        ) => Some(because.clone()).filter(|text| !text.is_empty()),
        Some(Settlement::Deferred | Settlement::Open) | None => None,
    };
    settled.or_else(|| outcome.verdict.joined_reason())
}

/// A failure in words, with what it means.
pub fn failed(said: &Said<Failure>) -> String {
    if said.what.is_unchecked() { format!("not checked: {}", said.what) } else { said.what.to_string() }
}

fn settlement(settlement: &Settlement) -> &'static str {
    match settlement {
        Settlement::Allowed { .. } => "allowed",
        Settlement::Denied { .. } => "denied",
        Settlement::Asked { .. } => "asked",
        Settlement::Deferred => "deferred",
        Settlement::Stopped { .. } => "stopped",
        Settlement::Open => "open",
    }
}

/// Who reads it, in a word.
pub const fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::None => "nobody",
        Audience::User => "user",
        Audience::Model => "model",
        Audience::Both => "both",
        Audience::Log => "log",
    }
}

impl Told {
    fn new<T>(said: &Said<T>, to: &'static str, text: String) -> Self {
        Told { source: said.source.to_string(), label: said.label.to_string(), to, text }
    }
}

/// The texts of a verdict for the user, one below the other.
pub fn for_the_user(verdict: &Verdict) -> Option<String> {
    let failures = verdict.failures.iter().map(|said| format!("[{}] {}", said.label, failed(said)));
    let messages = verdict.messages.iter().map(|said| said.what.clone());
    let notices =
        verdict.notices.iter().filter(|said| matches!(said.what.to, Audience::User | Audience::Both));
    let lines: Vec<String> = messages
        .chain(notices.map(|said| said.what.text.clone()))
        .chain(failures)
        .chain(verdict.warnings.iter().cloned())
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
