//! The effect of a hook's output, as `check-output` shows it.

use super::failing;
use super::fired::audience;
use becket_model::interpret::Interpretation;
use becket_model::table::{Audience, EventSpec, UNIVERSAL_OUTPUT};
use becket_model::{Decision, Failure, OnFailure, RequestDecision, SandboxAnswer};
use schemars::JsonSchema;
use serde::Serialize;

/// The interpretation of an output.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The event.
    pub event: &'static str,
    /// The exit code.
    pub exit: i32,
    /// Its effects, one line each.
    pub effects: Vec<Effect>,
    /// The reason why the answer can't be used.
    pub failure: Option<String>,
    /// Advice if the exit code is an error and was perhaps meant to block.
    pub advice: Option<String>,
    /// True if the action is not checked: there is no usable answer, or a refusal is not read.
    pub unchecked: bool,
    /// The parts of the output that have no effect, although one was intended.
    pub warnings: Vec<String>,
    /// Fields that the event does not know.
    pub unknown_fields: Vec<UnknownField>,
}

/// An effect of the output.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Effect {
    /// The kind of effect: `deny`, `block`, `context`, `system message`, the name of a field, …
    pub what: String,
    /// The reader of the text.
    pub to: Option<&'static str>,
    /// The text or value.
    pub text: Option<String>,
}

/// An unknown field.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct UnknownField {
    /// Its path.
    pub field: String,
    /// The name that was probably meant.
    pub did_you_mean: Option<String>,
}

impl Answer {
    /// Converts the interpretation of an output.
    pub fn new(spec: &EventSpec, exit: i32, taken: &Interpretation) -> Self {
        Answer {
            event: spec.kind.name(),
            exit,
            effects: effects(spec, taken),
            failure: taken.failure.as_ref().map(Failure::to_string),
            advice: failing::advice(spec, taken.failure.as_ref(), OnFailure::Continue),
            unchecked: taken.failure.as_ref().is_some_and(Failure::is_unchecked)
                || taken.reply.lost_refusal().is_some(),
            warnings: taken.warnings.clone(),
            unknown_fields: taken
                .unknown_fields
                .iter()
                .filter(|path| !is_told(path, &taken.warnings))
                .map(|path| unknown(spec, path))
                .collect(),
        }
    }
}

fn effects(spec: &EventSpec, taken: &Interpretation) -> Vec<Effect> {
    let reply = &taken.reply;
    let mut effects: Vec<Effect> = reply.decision.iter().map(|decision| decided(spec, decision)).collect();
    let mut add = |what: &str, to, text: Option<String>| {
        effects.push(Effect { what: what.to_owned(), to, text });
    };
    if let Some(why) = reply.fields.sandbox.as_ref().and_then(SandboxAnswer::unread) {
        add("deny", Some("model"), Some(format!("`sandbox` can't be read, so the call is refused: {why}")));
    }
    if let Some(stop) = &reply.stop {
        add("stop", Some("user"), stop.reason.clone());
    }
    for context in &reply.context {
        add("context", Some("model"), Some(context.text.clone()));
    }
    if let Some(message) = &reply.system_message {
        add("system message", Some("user"), Some(message.clone()));
    }
    if let Some(sequence) = &reply.terminal_sequence {
        add("terminal sequence", Some("user"), Some(sequence.escape_debug().to_string()));
    }
    // A refusal that was not read is one of the warnings.
    for notice in reply.notices.iter().filter(|notice| !notice.unchecked) {
        add("notice", Some(audience(notice.to)), Some(notice.text.clone()));
    }
    for (name, value) in
        super::answer_fields::of(&reply.fields).into_iter().filter(|(_, value)| !value.is_null())
    {
        add(name, None, Some(value.to_string()));
    }
    effects
}

/// Returns a decision with the reader of its reason.
fn decided(spec: &EventSpec, decision: &Decision) -> Effect {
    let effect = |what: &str, to, text| Effect { what: what.to_owned(), to, text };
    let reader = Some(audience(spec.exit_2.audience)).filter(|_| spec.exit_2.audience != Audience::None);
    match decision {
        Decision::Permission { decision, reason, .. } => {
            let to = if decision.as_str() == "deny" { "model" } else { "user" };
            effect(decision.as_str(), Some(to), reason.clone())
        }
        Decision::Block { reason, .. } => effect("block", reader, Some(reason.clone())),
        Decision::PermissionRequest(RequestDecision::Allow { .. }) => effect("allow", None, None),
        Decision::PermissionRequest(RequestDecision::Deny { message, interrupt }) => {
            let what = if *interrupt { "deny and interrupt" } else { "deny" };
            effect(what, Some("model"), message.clone())
        }
        Decision::Elicitation { action, content } => {
            let text = content.as_ref().map(|content| serde_json::Value::Object(content.clone()).to_string());
            effect(action.as_str(), None, text)
        }
        Decision::Worktree(path) => effect("worktree", None, Some(path.display().to_string())),
    }
}

/// Returns true if a warning already names the field.
fn is_told(path: &str, warnings: &[String]) -> bool {
    warnings.iter().any(|warning| warning.starts_with(&format!("`{path}` ")))
}

fn unknown(spec: &EventSpec, path: &str) -> UnknownField {
    let (prefix, name) = path.rsplit_once('.').map_or(("", path), |(prefix, name)| (prefix, name));
    let own = spec.output.iter().map(|field| field.name);
    let universal = UNIVERSAL_OUTPUT.iter().map(|field| field.name);
    let suggested = |names: Vec<&'static str>| becket_base::suggest(name, &names);
    let here =
        if prefix.is_empty() { suggested(universal.collect()) } else { suggested(own.clone().collect()) };
    let did_you_mean = here.map(str::to_owned).or_else(|| {
        let own: Vec<&'static str> = own.collect();
        let exact = own.iter().copied().find(|known| *known == name);
        exact.or_else(|| becket_base::suggest(name, &own)).map(|found| format!("hookSpecificOutput.{found}"))
    });
    UnknownField { field: path.to_owned(), did_you_mean }
}
