//! Objects that occur in the answers of several agents.

use crate::answer::AnswerParts;
use serde_json::{Map, Value, json};

/// Puts a text into an object, if there is one.
pub(super) fn put(object: &mut Map<String, Value>, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        object.insert(key.to_owned(), json!(text));
    }
}

/// Returns the top-level fields that Claude Code and similar agents share, except decisions about calls.
pub(super) fn universal(out: &AnswerParts<'_>) -> Map<String, Value> {
    let mut top = Map::new();
    if let Some(reason) = &out.stop {
        top.insert("continue".to_owned(), json!(false));
        put(&mut top, "stopReason", Some(reason.as_str()).filter(|reason| !reason.is_empty()));
    }
    put(&mut top, "systemMessage", out.message.as_deref());
    top
}

/// Adds `decision: "block"` with its reason, on an event that does not precede a call.
pub(super) fn put_block(top: &mut Map<String, Value>, out: &AnswerParts<'_>) {
    if let Some(reason) = out.refusal() {
        top.insert("decision".to_owned(), json!("block"));
        put(top, "reason", Some(reason));
    }
}

/// Adds `hookSpecificOutput` of an event, unless it is empty.
pub(super) fn put_own(top: &mut Map<String, Value>, event: &str, own: Map<String, Value>) {
    if !own.is_empty() {
        let mut named = Map::from_iter([("hookEventName".to_owned(), json!(event))]);
        named.extend(own);
        top.insert("hookSpecificOutput".to_owned(), Value::Object(named));
    }
}

/// Returns an answer in Claude Code's form with only the fields that an agent honours.
pub(super) fn protocol(out: &AnswerParts<'_>) -> Map<String, Value> {
    let mut top = universal(out);
    let mut own = Map::new();
    if out.is_before_call() {
        let decision = match &out.action {
            crate::Action::Refuse { reason } => Some(("deny", reason.as_str())),
            crate::Action::Ask { reason } => Some(("ask", reason.as_str())),
            crate::Action::Proceed | crate::Action::Allow => None,
        };
        if let Some((decision, reason)) = decision {
            own.insert("permissionDecision".to_owned(), json!(decision));
            own.insert("permissionDecisionReason".to_owned(), json!(reason));
        }
        if let Some(input) = &out.rewrite {
            own.insert("permissionDecision".to_owned(), json!("allow"));
            own.insert("updatedInput".to_owned(), Value::Object(input.clone()));
        }
    } else {
        put_block(&mut top, out);
    }
    put(&mut own, "additionalContext", out.context.as_deref());
    put_own(&mut top, out.kind.map_or(out.native, |kind| kind.name()), own);
    top
}

/// Returns `hookSpecificOutput.decision` of a permission request.
pub(super) fn protocol_request(out: &AnswerParts<'_>) -> Map<String, Value> {
    let mut top = Map::new();
    if let Some(reason) = out.refusal() {
        let decision = json!({"behavior": "deny", "message": reason});
        put_own(&mut top, "PermissionRequest", Map::from_iter([("decision".to_owned(), decision)]));
    }
    top
}
