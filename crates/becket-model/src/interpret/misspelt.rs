//! Refusals under a key that nothing reads: a misspelt one, or one that a hook's author has made up.

use super::json_answer::OWN;
use super::misplaced::{FOREIGN, is_universal};
use crate::table::EventSpec;
use serde_json::{Map, Value};

/// The keys whose misspellings are recognized.
const DECIDING: [&str; 5] = ["permissionDecision", "decision", "behavior", "continue", "action"];

/// Keys of objects in which an answer may be meant; the name of the event is another one.
const CONTAINERS: [&str; 4] = ["hookOutput", "output", "response", "result"];

/// Words that name a decision in answers of other programs.
const MADE_UP: [&str; 5] = ["permission", "verdict", "result", "status", "outcome"];

/// Keys whose `false` refuses.
const GRANTS: [&str; 8] =
    ["continue", "ok", "allow", "allowed", "approve", "approved", "permit", "permitted"];

/// Keys whose `true` refuses.
const REFUSES: [&str; 6] = ["block", "blocked", "deny", "denied", "reject", "rejected"];

/// Values that refuse.
const REFUSALS: [&str; 10] =
    ["deny", "denied", "block", "blocked", "reject", "rejected", "decline", "declined", "refuse", "refused"];

/// Returns the path of each key that nothing reads and that would refuse if it were spelt as the protocol spells it: at
/// the top level, in an object that is meant as `hookSpecificOutput`, and in the `decision` of PermissionRequest.
pub(super) fn misspelt(spec: &EventSpec, object: &Map<String, Value>) -> Vec<String> {
    let mut found = refusing(object, "", |key| is_read_at_top(spec, key));
    for (key, value) in object {
        let is_own = key == OWN;
        let Some(inner) = value.as_object().filter(|_| is_own || is_container(spec, key)) else { continue };
        found.extend(refusing(inner, key, |name| is_own && is_read_inside(spec, name)));
        if let Some(request) = inner.get("decision").and_then(Value::as_object).filter(|_| is_own) {
            let path = format!("{OWN}.decision");
            found.extend(refusing(request, &path, |name| name == "behavior" || name == "message"));
        }
    }
    found
}

/// Returns the paths of the refusing keys of one object, but for those that are read.
fn refusing(object: &Map<String, Value>, path: &str, is_read: impl Fn(&str) -> bool) -> Vec<String> {
    let refusing = object.iter().filter(|(key, value)| !is_read(key) && refuses(key, value));
    let path_of = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    refusing.map(|(key, _)| path_of(key)).collect()
}

/// Returns whether a key of the top level has an effect there, or is reported as misplaced.
fn is_read_at_top(spec: &EventSpec, key: &str) -> bool {
    FOREIGN.contains(&key) || is_universal(key) || spec.has_output(key)
}

/// Returns whether a key of `hookSpecificOutput` has an effect there, or is reported as misplaced.
fn is_read_inside(spec: &EventSpec, key: &str) -> bool {
    FOREIGN.contains(&key) || matches!(key, "continue" | "hookEventName") || spec.has_output(key)
}

/// Returns whether a key looks like one under which an answer is meant.
fn is_container(spec: &EventSpec, key: &str) -> bool {
    let folded_key = folded(key);
    let names = CONTAINERS.into_iter().chain([OWN, spec.kind.name()]);
    !is_read_at_top(spec, key)
        && (names.map(folded).any(|name| name == folded_key) || becket_base::suggest(key, &[OWN]).is_some())
}

fn refuses(key: &str, value: &Value) -> bool {
    let key = folded(key);
    match value {
        Value::Bool(true) => REFUSES.contains(&&*key),
        Value::Bool(false) => GRANTS.contains(&&*key),
        Value::String(word) => {
            let word = folded(word);
            let is_refusal = REFUSALS.contains(&&*word);
            (is_refusal && MADE_UP.contains(&&*key)) || (is_near(&key) && (is_refusal || word == "ask"))
        }
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Returns whether a folded key is one that decides, but for case, separators and a slip.
fn is_near(key: &str) -> bool {
    DECIDING.iter().any(|known| folded(known) == key) || becket_base::suggest(key, &DECIDING).is_some()
}

/// Returns the letters of a word, in lower case.
fn folded(word: &str) -> String {
    word.chars().filter(|character| character.is_alphabetic()).flat_map(char::to_lowercase).collect()
}
