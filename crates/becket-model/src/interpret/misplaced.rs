//! Fields that were surely meant and have no effect in their place.

use super::json_answer::OWN;
use super::misspelt::misspelt;
use crate::table::{DecisionModel, EventSpec, UNIVERSAL_OUTPUT};
use serde_json::{Map, Value};

/// Keys by which other events, other agents or a model would decide.
pub(super) const FOREIGN: [&str; 5] = ["permissionDecision", "decision", "behavior", "action", "ok"];

/// A field without effect.
pub(super) struct MisplacedField {
    pub(super) warning: String,
    /// Set if it would have held back the action of the event in its right place.
    pub(super) is_refusal: bool,
}

/// Returns each field of `hookSpecificOutput` that is next to it, a top-level `decision` on an event that has none,
/// each refusal in words of another event, and an announcement that comes too late (A2).
pub(super) fn misplaced(spec: &EventSpec, object: &Map<String, Value>) -> Vec<MisplacedField> {
    let refusing: Vec<String> = if decides(spec) { restricting(spec, object).collect() } else { Vec::new() };
    let is_refusal = |name: &str| refusing.iter().any(|path| path == name);
    let outside = spec
        .output
        .iter()
        .filter(|field| object.contains_key(field.name) && !is_universal(field.name) && !field.restricts)
        .map(|field| MisplacedField {
            warning: format!("`{}` has no effect there: put it inside `hookSpecificOutput`", field.name),
            is_refusal: is_refusal(field.name),
        });
    let decision = (!decides_at_top(spec) && object.get("decision").is_some_and(|value| !value.is_null()))
        .then(|| MisplacedField {
            warning: format!("a top-level `decision` has no effect on `{}`", spec.kind),
            is_refusal: is_refusal("decision"),
        });
    let announced = (object.get("async") == Some(&Value::Bool(true))).then(|| MisplacedField {
        warning: "`async` has no effect there: print it alone on the first line".to_owned(),
        is_refusal: false,
    });
    let foreign = refusing.iter().filter(|path| *path != "decision" && !spec.has_output(path)).map(|path| {
        MisplacedField { warning: format!("`{path}` has no effect there: {}", help(spec)), is_refusal: true }
    });
    outside.chain(decision).chain(announced).chain(foreign).collect()
}

/// Returns the paths of fields that would block if they had an effect in their place, or were not misspelt.
pub(super) fn restricting<'a>(
    spec: &'a EventSpec,
    object: &'a Map<String, Value>,
) -> impl Iterator<Item = String> + 'a {
    let at_top = FOREIGN
        .into_iter()
        .filter(move |key| !(*key == "decision" && decides_at_top(spec)))
        .filter(move |key| object.get(*key).is_some_and(|value| restricts(key, value)))
        .map(str::to_owned);
    let own = object.get(OWN).and_then(Value::as_object);
    let inside = FOREIGN
        .into_iter()
        .filter(move |key| !spec.has_output(key))
        .filter(move |key| own.is_some_and(|own| own.get(*key).is_some_and(|value| restricts(key, value))))
        .map(|key| format!("{OWN}.{key}"));
    let stop = own
        .is_some_and(|own| own.get("continue") == Some(&Value::Bool(false)))
        .then(|| format!("{OWN}.continue"));
    at_top.chain(inside).chain(stop).chain(misspelt(spec, object))
}

/// Returns the place where a decision on this event belongs.
pub(super) fn help(spec: &EventSpec) -> &'static str {
    match spec.decision {
        DecisionModel::Permission => "answer `hookSpecificOutput.permissionDecision`",
        DecisionModel::PermissionRequest => "answer `hookSpecificOutput.decision.behavior`",
        DecisionModel::Elicitation => "answer `hookSpecificOutput.action`",
        DecisionModel::Block | DecisionModel::Task => "answer `decision` and `reason` at the top level",
        DecisionModel::ContinueOnly | DecisionModel::Path => "end with exit code 2",
        DecisionModel::None | DecisionModel::Context | DecisionModel::Retry | DecisionModel::Display => {
            "hooks of this event decide nothing"
        }
    }
}

pub(super) fn decides(spec: &EventSpec) -> bool {
    !matches!(
        spec.decision,
        DecisionModel::None | DecisionModel::Context | DecisionModel::Retry | DecisionModel::Display
    )
}

fn decides_at_top(spec: &EventSpec) -> bool {
    matches!(spec.decision, DecisionModel::Permission | DecisionModel::Block | DecisionModel::Task)
}

/// Returns whether a field has its effect at the top level on every event that honours it.
pub(super) fn is_universal(name: &str) -> bool {
    UNIVERSAL_OUTPUT.iter().any(|field| field.name == name)
}

/// Returns whether a key restricts. `ok` and `action` are common words in any JSON; of the other keys, only a plain
/// grant lets something pass.
fn restricts(key: &str, value: &Value) -> bool {
    match (key, value) {
        (_, Value::Null) => false,
        ("ok", value) => *value == Value::Bool(false),
        ("action", value) => value
            .as_str()
            .is_some_and(|word| ["deny", "block", "decline", "cancel", "reject"].contains(&word)),
        (_, Value::Bool(lets_pass)) => !lets_pass,
        (_, Value::String(word)) => !matches!(word.as_str(), "" | "allow" | "approve" | "accept"),
        (_, Value::Object(request)) => {
            request.get("behavior").is_some_and(|behavior| restricts("behavior", behavior))
        }
        (_, Value::Number(_) | Value::Array(_)) => true,
    }
}
