//! Converts the resolutions of a payload's events to the one answer that the agent understands.
//!
//! Parts that an agent does not honour are made safe first, by its table alone; only then does the agent's own file
//! write the answer.

mod combine;
mod output;
mod safe;

pub(crate) use safe::ends_turn;
pub use safe::passes_ask;

use crate::{Action, Dialect, EventRow, NativeCall, Payload, Resolution};
use becket_model::EventKind;
use becket_model::table::OnFailureEffect;
use serde_json::{Map, Value};

/// The output of the hook process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The text for stdout.
    pub stdout: String,
    /// The text for stderr.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl Answer {
    /// Returns an answer with nothing on either stream and exit code 0.
    pub fn nothing() -> Self {
        Answer::default()
    }

    /// Returns an answer with a JSON object on stdout, or nothing for an empty one.
    pub(crate) fn json(object: Map<String, Value>) -> Self {
        if object.is_empty() {
            return Answer::nothing();
        }
        Answer { stdout: format!("{}\n", Value::Object(object)), ..Answer::default() }
    }

    /// Returns an answer with a text on stdout.
    pub(crate) fn text(text: &str) -> Self {
        Answer { stdout: format!("{text}\n"), ..Answer::default() }
    }

    /// Returns an answer with exit code 2 and a reason on stderr, which is never empty: some agents run the call then.
    pub(crate) fn exit_two(reason: &str) -> Self {
        let reason = if reason.trim().is_empty() { "denied by a hook" } else { reason };
        Answer { stderr: format!("{reason}\n"), exit: 2, ..Answer::default() }
    }
}

/// The handling of asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Asks {
    /// Passed on if the agent asks the user or denies the call, else a denial.
    #[default]
    Auto,
    /// Always a denial: there is no user.
    Deny,
    /// Passed on if the agent has any form of an ask, else a denial.
    Pass,
}

/// An answer, and the parts that it does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// The reason with which it denies or blocks, if it does.
    pub refusal: Option<String>,
    /// Context to add to the answer about the result of the call.
    pub carried: Option<CarriedContext>,
    /// The parts that are lost, as texts.
    pub lost: Vec<&'static str>,
}

/// Context that the agent does not accept before a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedContext {
    /// The id that the payload about the result will have.
    pub call: String,
    /// The context.
    pub context: String,
}

/// An answer that has been made safe: it contains only what the agent honours.
#[derive(Debug)]
pub(crate) struct AnswerParts<'a> {
    /// The event of the protocol; `None` if even that is unknown.
    pub(crate) kind: Option<EventKind>,
    /// The event's name in payloads.
    pub(crate) native: &'a str,
    /// The call, if the event is about one and it could be read.
    pub(crate) call: Option<&'a NativeCall>,
    /// The decision.
    pub(crate) action: Action,
    /// The whole new input, in the agent's keys.
    pub(crate) rewrite: Option<Map<String, Value>>,
    /// Text for the model.
    pub(crate) context: Option<String>,
    /// The reason of `continue: false`.
    pub(crate) stop: Option<String>,
    /// Text for the user.
    pub(crate) message: Option<String>,
    /// The text that the model reads instead of the tool's output, in a field of its own.
    pub(crate) output: Option<String>,
    /// The answer as a hook of the protocol prints it; empty for a failure.
    pub(crate) json: &'a Map<String, Value>,
    /// The text that it prints instead.
    pub(crate) text: Option<&'a str>,
}

impl<'a> AnswerParts<'a> {
    /// Returns an action without anything else.
    fn bare(kind: Option<EventKind>, native: &'a str, action: Action, json: &'a Map<String, Value>) -> Self {
        AnswerParts {
            kind,
            native,
            call: None,
            action,
            rewrite: None,
            context: None,
            stop: None,
            message: None,
            output: None,
            json,
            text: None,
        }
    }

    /// Returns the reason of a denial or a block.
    pub(crate) fn refusal(&self) -> Option<&str> {
        match &self.action {
            Action::Refuse { reason } => Some(reason),
            Action::Proceed | Action::Allow | Action::Ask { .. } => None,
        }
    }

    /// Returns whether the event comes before a call or asks for a permission.
    pub(crate) fn is_before_call(&self) -> bool {
        matches!(self.kind, Some(EventKind::PreToolUse | EventKind::PermissionRequest))
    }
}

/// Writes the answer to a payload from the resolutions of its events, in their order.
pub fn answer(dialect: &Dialect, incoming: &Payload, resolutions: Vec<Resolution>, asks: Asks) -> Reply {
    let Some(row) = incoming.row.filter(|_| !resolutions.is_empty()) else {
        let answer = neutral(dialect, incoming.row);
        return Reply { answer, refusal: None, carried: None, lost: Vec::new() };
    };
    let call = incoming.call.as_ref();
    let combined = combine::combine(resolutions, call);
    let safe = safe::make_safe(dialect, row, call, combined, asks);
    let parts = safe.outgoing(row, call);
    let refusal = safe.refusal().map(str::to_owned);
    let mut answer = (dialect.write)(&parts);
    if let Some(unshown) = &safe.unshown
        && answer.exit == 0
    {
        // The agent ignores it there; a user who looks for it finds it in the agent's log.
        answer.stderr = format!("{unshown}\n");
    }
    Reply { answer, refusal, carried: safe.carried, lost: safe.lost }
}

/// Writes the answer to a payload that could not be decided, for `reason`: a refusal in the agent's own form, unless
/// the event can't be blocked.
pub fn refuse(dialect: &Dialect, payload: &Value, reason: &str) -> Answer {
    let native = dialect.event_name(payload).unwrap_or_default();
    let row = dialect.event(native);
    let is_deciding = match row {
        Some(row) => row.kind.spec().on_failure == OnFailureEffect::Block,
        None => !dialect.informative.contains(&native),
    };
    if !is_deciding {
        return Answer { stderr: format!("{reason}\n"), exit: 1, ..Answer::default() };
    }
    let kind = row.map(|row| row.kind);
    (dialect.write)(&AnswerParts::bare(
        kind,
        native,
        Action::Refuse { reason: reason.to_owned() },
        &Map::new(),
    ))
}

/// Returns the answer that changes nothing.
fn neutral(dialect: &Dialect, row: Option<&EventRow>) -> Answer {
    let native = row.map_or("", |row| row.native);
    (dialect.write)(&AnswerParts::bare(row.map(|row| row.kind), native, Action::Proceed, &Map::new()))
}
