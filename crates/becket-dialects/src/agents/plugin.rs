//! Agents that load code instead of running commands: Becket's own plugin sends a JSON object and acts on the answer.
//!
//! The payload: `dialect` (the name), `hook_event_name` (the protocol's), `session_id`, `cwd`, and the fields of the event,
//! with the agent's own names of tools and keys. The answer is always one JSON object, exit code 0:
//! `{decision?: "deny" | "block", reason?, input?, output?, context?, stop?}`. The plugin treats anything else as a denial.

use super::words::put;
use crate::Answer;
use crate::answer::AnswerParts;
use crate::{AnswerForm, AnswerSupport, Effect, EventRow, OutputForm};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

/// The events that the plugins report.
pub(super) const EVENTS: &[EventRow] = &[
    EventRow::named(EventKind::SessionStart, AnswerSupport::NOTHING.context()),
    EventRow::named(EventKind::UserPromptSubmit, AnswerSupport::NOTHING.refusal().context()),
    EventRow::named(EventKind::PreToolUse, AnswerSupport::NOTHING.refusal().rewrite().context()),
    EventRow::named(
        EventKind::PostToolUse,
        AnswerSupport::NOTHING.refusal().context().output(OutputForm::Field),
    ),
    EventRow::named(EventKind::Stop, AnswerSupport::NOTHING.refusal()),
    EventRow::named(EventKind::SessionEnd, AnswerSupport::NOTHING),
];

/// The effects of answers on the plugins: anything but an answer denies.
pub(super) const EFFECTS: &[(AnswerForm, Effect)] = &[
    (AnswerForm::DecisionDeny, Effect::Held),
    (AnswerForm::DecisionBlock, Effect::Held),
    (AnswerForm::Nothing, Effect::Held),
    (AnswerForm::ExitTwo, Effect::Held),
    (AnswerForm::SilentExitTwo, Effect::Held),
    (AnswerForm::OtherExit, Effect::Held),
    (AnswerForm::Text, Effect::Held),
];

pub(super) fn write(out: &AnswerParts<'_>) -> Answer {
    let mut top = Map::new();
    let mut context = out.context.clone();
    if let Some(reason) = out.refusal() {
        let is_call = out.is_before_call() || out.kind.is_none();
        put(&mut top, "decision", Some(if is_call { "deny" } else { "block" }));
        // A call that is denied has no result that the context could go with.
        let context = context.take_if(|_| is_call).map(|context| format!("\n{context}"));
        put(&mut top, "reason", Some(&format!("{reason}{}", context.unwrap_or_default())));
    }
    if let Some(input) = &out.rewrite {
        top.insert("input".to_owned(), Value::Object(input.clone()));
    }
    put(&mut top, "output", out.output.as_deref());
    put(&mut top, "context", context.as_deref());
    if let Some(reason) = &out.stop {
        top.insert("stop".to_owned(), json!(reason));
    }
    Answer { stdout: format!("{}\n", Value::Object(top)), ..Answer::default() }
}
