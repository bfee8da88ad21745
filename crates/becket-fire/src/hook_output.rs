//! An outcome as the answer of one hook, for an agent that has Becket as its hook.
//!
//! INVARIANT: nothing is weakened on the way. A denial and a block are expressed twice, by exit code 2 with the reason on
//! stderr and by JSON, but a block of Stop by JSON alone, since the model would read it twice; an allow is passed on only if hooks gave it, never if only a rule of this configuration did.

use crate::fire::{BackgroundEnd, Fired};
use crate::result::{EventResult, for_the_user, why};
use crate::{FiringError, fired_fields};
use becket_base::text::visible;
use becket_engine::{Outcome, Settlement};
use becket_model::table::DecisionModel;
use becket_model::{Decision, EventKind, PermissionDecision, Ruling, Verdict};
use serde_json::{Map, Value, json};
use std::io::Write;

/// The field for text that the model reads.
const CONTEXT: &str = "additionalContext";

/// The output and the exit code.
#[derive(Debug, PartialEq)]
pub struct HookOutput {
    /// 0 or 2.
    pub exit: u8,
    /// The JSON object for stdout; may be empty.
    pub json: Map<String, Value>,
    /// The text for stdout instead, on the one event without JSON.
    pub text: Option<String>,
    /// The reason for stderr.
    pub stderr: Option<String>,
}

/// Adds the input that replaces the call's to an answer; it decides nothing. The input carries the rights that hooks leave
/// to the call, so the answer no longer names them.
pub fn add_rewrite(answer: &mut Map<String, Value>, event: EventKind, input: Map<String, Value>) {
    let own = own_of(answer, event);
    own["updatedInput"] = Value::Object(input);
    if let Some(own) = own.as_object_mut() {
        own.remove("sandbox");
    }
}

/// Returns `hookSpecificOutput` of an answer.
fn own_of(answer: &mut Map<String, Value>, event: EventKind) -> &mut Value {
    answer.entry("hookSpecificOutput").or_insert_with(|| json!({"hookEventName": event.name()}))
}

/// Adds text for the model to an answer, before any text that it already has.
pub fn add_context(answer: &mut Map<String, Value>, event: EventKind, context: &str) {
    let own = own_of(answer, event);
    let before = own.get(CONTEXT).and_then(Value::as_str).map(|text| format!("\n{text}"));
    own[CONTEXT] = json!(format!("{context}{}", before.unwrap_or_default()));
}

impl HookOutput {
    /// Turns the answer to a tool call into a denial.
    #[must_use]
    pub fn denied(mut self, event: EventKind, reason: String) -> Self {
        let own = own_of(&mut self.json, event);
        own["permissionDecision"] = json!(PermissionDecision::Deny.as_str());
        own["permissionDecisionReason"] = json!(reason);
        if let Some(own) = own.as_object_mut() {
            own.remove("updatedInput");
        }
        HookOutput { exit: 2, stderr: Some(reason), ..self }
    }

    /// Turns the answer to a tool call into a denial if there is a reason for one.
    #[must_use]
    pub fn denied_for(self, event: EventKind, reason: Option<String>) -> Self {
        match reason {
            Some(reason) => self.denied(event, reason),
            None => self,
        }
    }

    /// Returns the text for stdout.
    pub fn stdout(&self) -> String {
        match &self.text {
            Some(text) => format!("{text}\n"),
            None if self.json.is_empty() => String::new(),
            None => format!("{}\n", Value::Object(self.json.clone())),
        }
    }

    /// Writes the output and returns the exit code. The reader of stdout must exist, unless the exit code and stderr
    /// say it all; the one of stderr need not.
    ///
    /// # Errors
    /// Errors if stdout can't be written.
    pub fn deliver(&self, mut stdout: impl Write, mut stderr: impl Write) -> Result<u8, FiringError> {
        let written = stdout.write_all(self.stdout().as_bytes()).and_then(|()| stdout.flush());
        if self.exit != 2 || self.stderr.is_none() {
            written?;
        }
        if let Some(reason) = &self.stderr {
            drop(stderr.write_all(format!("{}\n", visible(reason)).as_bytes()));
        }
        Ok(self.exit)
    }
}

/// Converts an outcome to the equivalent answer. `broken` describes parts that could not be loaded. Hooks in the
/// background were awaited, so their context is included, and a wake counts as the exit code 2 that it was (A4).
pub fn of(fired: &Fired, broken: &str) -> HookOutput {
    let Fired { outcome, background: left, left: _ } = fired;
    let answer = of_verdict(outcome, broken, left);
    let reminders: Vec<&str> = left.iter().filter_map(|left| left.reminder.as_deref()).collect();
    let spec = outcome.verdict.event.spec();
    let blocks = spec.decision != DecisionModel::Elicitation && spec.exit_2.effect.blocks();
    if reminders.is_empty() || answer.exit != 0 || !blocks {
        return answer;
    }
    HookOutput { exit: 2, stderr: Some(reminders.join("\n\n")), ..answer }
}

fn of_verdict(outcome: &Outcome, broken: &str, left: &[BackgroundEnd]) -> HookOutput {
    let verdict = &outcome.verdict;
    let spec = verdict.event.spec();
    if spec.decision == DecisionModel::Path {
        return worktree(verdict);
    }
    let blocked = EventResult::of(outcome) == EventResult::Blocked;
    let mut top = universal(verdict, broken);
    if blocked && matches!(spec.decision, DecisionModel::Block | DecisionModel::Task) {
        top.insert("decision".to_owned(), json!("block"));
        top.insert("reason".to_owned(), json!(why(outcome)));
    }
    let own = own_fields(outcome, spec.decision, left);
    if !own.is_empty() {
        let mut named = Map::from_iter([("hookEventName".to_owned(), json!(verdict.event.name()))]);
        named.extend(own);
        top.insert("hookSpecificOutput".to_owned(), Value::Object(named));
    }
    // On exit 2 an elicitation's JSON would not count: there the JSON itself declines (O3).
    let is_json_alone = spec.decision == DecisionModel::Elicitation
        || (matches!(verdict.event, EventKind::Stop | EventKind::SubagentStop)
            && top.contains_key("decision"));
    let by_exit = blocked && !is_json_alone && spec.exit_2.effect.blocks();
    let stderr = by_exit.then(|| reason(outcome));
    HookOutput { exit: if by_exit { 2 } else { 0 }, json: top, text: None, stderr }
}

/// Returns the content of `hookSpecificOutput`.
fn own_fields(outcome: &Outcome, model: DecisionModel, left: &[BackgroundEnd]) -> Map<String, Value> {
    let mut own = fired_fields::of(&outcome.verdict);
    match model {
        DecisionModel::Permission => permission(&mut own, outcome),
        DecisionModel::PermissionRequest => request(&mut own, outcome),
        DecisionModel::Block
        | DecisionModel::Task
        | DecisionModel::None
        | DecisionModel::Context
        | DecisionModel::Retry
        | DecisionModel::ContinueOnly
        | DecisionModel::Display
        | DecisionModel::Path
        | DecisionModel::Elicitation => {}
    }
    let takes_context = outcome.verdict.event.spec().output.iter().any(|field| field.name == CONTEXT);
    let later = left.iter().flat_map(|left| left.context.iter().cloned()).filter(|_| takes_context);
    let context: Vec<String> = outcome.verdict.joined_context().into_iter().chain(later).collect();
    if !context.is_empty() {
        own.insert(CONTEXT.to_owned(), json!(context.join("\n")));
    }
    own
}

fn reason(outcome: &Outcome) -> String {
    let stop = outcome.verdict.stop.as_ref().and_then(|stop| stop.what.reason.clone());
    why(outcome).or(stop).unwrap_or_else(|| "Blocked by hook".to_owned())
}

fn universal(verdict: &Verdict, broken: &str) -> Map<String, Value> {
    let mut top = Map::new();
    if let Some(stop) = &verdict.stop {
        top.insert("continue".to_owned(), json!(false));
        if let Some(reason) = &stop.what.reason {
            top.insert("stopReason".to_owned(), json!(reason));
        }
    }
    let broken = broken.trim_end().to_owned();
    let messages: Vec<String> =
        for_the_user(verdict).into_iter().chain((!broken.is_empty()).then_some(broken)).collect();
    if !messages.is_empty() {
        top.insert("systemMessage".to_owned(), json!(messages.join("\n")));
    }
    if !verdict.terminal_sequences.is_empty() {
        let all: String = verdict.terminal_sequences.iter().map(|one| one.what.as_str()).collect();
        top.insert("terminalSequence".to_owned(), json!(all));
    }
    top
}

/// Returns the decision of a tool call: the strictest of hooks and rules.
fn permission(own: &mut Map<String, Value>, outcome: &Outcome) {
    let decision = match &outcome.settlement {
        Some(Settlement::Denied { .. } | Settlement::Stopped { .. }) => Some(PermissionDecision::Deny),
        Some(Settlement::Asked { .. }) if defers(outcome) => Some(PermissionDecision::Defer),
        Some(Settlement::Asked { .. }) => Some(PermissionDecision::Ask),
        Some(Settlement::Deferred) => Some(PermissionDecision::Defer),
        Some(Settlement::Allowed { .. } | Settlement::Undecided) | None => hooks_allow(&outcome.verdict),
    };
    let Some(decision) = decision else { return };
    if decision == PermissionDecision::Deny || decision == PermissionDecision::Defer {
        own.remove("updatedInput");
    }
    own.insert("permissionDecision".to_owned(), json!(decision.as_str()));
    if let Some(reason) = why(outcome) {
        own.insert("permissionDecisionReason".to_owned(), json!(reason));
    }
}

/// Returns whether a defer, which the engine reads as an ask if a user can be asked, is passed on unchanged.
fn defers(outcome: &Outcome) -> bool {
    outcome.runs.iter().any(|run| {
        matches!(run.reply.decision, Some(Decision::Permission { decision: PermissionDecision::Defer, .. }))
    })
}

fn hooks_allow(verdict: &Verdict) -> Option<PermissionDecision> {
    let allows = matches!(verdict.ruling, Ruling::Permission { decision: PermissionDecision::Allow, .. });
    allows.then_some(PermissionDecision::Allow)
}

/// Adds the answer to a permission prompt; fields of the ruling go inside `decision`.
fn request(own: &mut Map<String, Value>, outcome: &Outcome) {
    own.remove("proposedInput");
    let inner = ["updatedInput", "updatedPermissions", "interrupt"];
    let fields: Map<String, Value> =
        inner.iter().filter_map(|name| own.remove(*name).map(|value| ((*name).to_owned(), value))).collect();
    let behavior = match (&outcome.settlement, &outcome.verdict.ruling) {
        (Some(Settlement::Denied { .. } | Settlement::Stopped { .. }), _) => "deny",
        (Some(Settlement::Allowed { .. }), Ruling::RequestAllow { .. }) => "allow",
        // The other agent would ask about the original call, which must not run (G3).
        (Some(Settlement::Asked { .. }), _) if outcome.verdict.fields.proposed_input.is_some() => "deny",
        (Some(_) | None, _) => return,
    };
    let mut decision = Map::from_iter([("behavior".to_owned(), json!(behavior))]);
    match behavior {
        "deny" => {
            decision.extend(why(outcome).map(|reason| ("message".to_owned(), json!(reason))));
            decision.extend(fields.into_iter().filter(|(name, _)| name == "interrupt"));
        }
        _ => decision.extend(fields.into_iter().filter(|(name, _)| name != "interrupt")),
    }
    own.insert("decision".to_owned(), Value::Object(decision));
}

/// Returns the output for a worktree: its path is plain text, and a failure an exit code.
fn worktree(verdict: &Verdict) -> HookOutput {
    let failed = |reason: Option<String>| HookOutput {
        exit: 2,
        json: Map::new(),
        text: None,
        stderr: Some(reason.unwrap_or_else(|| "no hook created a worktree".to_owned())),
    };
    match &verdict.ruling {
        Ruling::Worktree(path) => HookOutput {
            exit: 0,
            json: Map::new(),
            text: Some(path.what.display().to_string()),
            stderr: None,
        },
        Ruling::None => failed(for_the_user(verdict)),
        Ruling::WorktreeFailed(_)
        | Ruling::Permission { .. }
        | Ruling::Block(_)
        | Ruling::RequestAllow { .. }
        | Ruling::RequestDeny { .. }
        | Ruling::Elicitation { .. } => failed(verdict.joined_reason()),
    }
}
