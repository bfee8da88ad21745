//! The result of an event for its caller: passed, blocked or waiting, and the reason.

use becket_dialects::{Action, Resolution};
use becket_engine::{Engine, Outcome, Settlement};
use becket_model::table::Audience;
use becket_model::{Attributed, Event, Failure, Notice, Verdict, continued};
use schemars::JsonSchema;
use serde::Serialize;

/// The effect on the event itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventResult {
    /// It is not blocked.
    Passed,
    /// It is blocked.
    Blocked,
    /// The user is asked, or it waits for the session to be resumed.
    Waits,
}

impl EventResult {
    /// Converts an outcome. On a tool call it includes the permission rules.
    pub fn of(outcome: &Outcome) -> Self {
        let verdict = &outcome.verdict;
        match &outcome.settlement {
            Some(Settlement::Denied { .. } | Settlement::Stopped { .. }) => EventResult::Blocked,
            Some(Settlement::Asked { .. } | Settlement::Deferred) => EventResult::Waits,
            Some(Settlement::Allowed { .. } | Settlement::Undecided) => EventResult::Passed,
            None if verdict.blocks() => EventResult::Blocked,
            None if verdict.asks_or_defers() => EventResult::Waits,
            None => EventResult::Passed,
        }
    }

    /// Returns its exit code.
    pub const fn exit_code(self) -> u8 {
        match self {
            EventResult::Passed => 0,
            EventResult::Blocked => 2,
            EventResult::Waits => 3,
        }
    }
}

/// Returns the reason of the result: that of the settlement, which may be a rule's, otherwise that of the hooks.
pub fn why(outcome: &Outcome) -> Option<String> {
    let settled = match &outcome.settlement {
        Some(
            Settlement::Allowed { because }
            | Settlement::Denied { because }
            | Settlement::Asked { because }
            | Settlement::Stopped { because },
        ) => Some(because.clone()).filter(|text| !text.is_empty()),
        Some(Settlement::Deferred | Settlement::Undecided) | None => None,
    };
    settled.or_else(|| outcome.verdict.joined_reason())
}

/// Records in the audit log that a resolution refuses an event whose outcome did not block it.
pub fn record_denial(engine: &Engine, event: &Event, outcome: &Outcome, resolution: &Resolution) {
    if let Action::Refuse { reason } = &resolution.action
        && EventResult::of(outcome) != EventResult::Blocked
    {
        engine.host().record_denial(event, outcome, reason);
    }
}

/// Denies a call that is not refused yet, if there is a reason of Becket's own.
pub fn deny_if(resolution: &mut Resolution, reason: impl FnOnce() -> Option<String>) {
    if !resolution.is_refused()
        && let Some(reason) = reason()
    {
        *resolution = Resolution::denied(reason);
    }
}

/// Returns a failure as text, with its consequence.
pub fn failed(said: &Attributed<Failure>) -> String {
    if said.what.is_unchecked() { format!("not checked: {}", said.what) } else { said.what.to_string() }
}

/// Returns a message of a hook as text; one about a refusal that was not read names the hook.
fn noted(said: &Attributed<Notice>) -> String {
    let text = &said.what.text;
    if said.what.unchecked { format!("[{}] not checked: {text}", said.label) } else { text.clone() }
}

/// Returns the texts of a verdict for the user, one below the other, with their continuation lines indented.
pub fn for_the_user(verdict: &Verdict) -> Option<String> {
    let failures = verdict.failures.iter().map(|failure| format!("[{}] {}", failure.label, failed(failure)));
    let messages = verdict.messages.iter().map(|message| message.what.clone());
    let notices =
        verdict.notices.iter().filter(|notice| matches!(notice.what.to, Audience::User | Audience::Both));
    let lines: Vec<String> = messages
        .chain(notices.map(noted))
        .chain(failures)
        .chain(verdict.warnings.iter().cloned())
        .map(|text| continued(&text))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
