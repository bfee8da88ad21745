//! The field `sandbox` of an answer (E5). Wherever it is in an answer about a call, it is either read or refuses the
//! call: it always has an effect.

use super::json_answer::{JsonAnswer, OWN};
use crate::sandbox_answer::{CallFiles, CallNetwork, CallSandbox, SandboxAnswer};
use crate::table::{DecisionModel, EventSpec, FieldSpec};
use crate::wire::output::check_restriction;
use serde_json::{Map, Value};

/// The name of the field.
pub(super) const SANDBOX: &str = "sandbox";

/// Returns the rights that an answer leaves to its call; `None` if it says nothing about them, or the event is not about a
/// call.
pub(super) fn of(spec: &EventSpec, answer: &JsonAnswer) -> Option<SandboxAnswer> {
    let field = match spec.decision {
        DecisionModel::Permission => spec.output.iter().find(|field| field.name == SANDBOX),
        DecisionModel::PermissionRequest => None,
        DecisionModel::None
        | DecisionModel::Context
        | DecisionModel::Block
        | DecisionModel::Retry
        | DecisionModel::Task
        | DecisionModel::ContinueOnly
        | DecisionModel::Display
        | DecisionModel::Path
        | DecisionModel::Elicitation => return None,
    };
    let own = answer.object().get(OWN).and_then(Value::as_object);
    let decision = own.and_then(|own| own.get("decision")).and_then(Value::as_object);
    let place = [(Some(answer.object()), "at the top level"), (decision, "inside `decision`")]
        .into_iter()
        .find_map(|(object, place)| value(object).map(|_| place));
    if let Some(place) = place {
        return Some(unread(format!("it is {place} instead of in `{OWN}`")));
    }
    if let Some(path) = answer.repeated().iter().find(|path| is_within(path)) {
        return Some(unread(format!("`{path}` occurs more than once")));
    }
    let value = value(own)?;
    Some(match field {
        Some(field) => read(field, value),
        None => unread(format!("hooks of `{}` can't grant it: answer it on `PreToolUse`", spec.kind)),
    })
}

fn value(object: Option<&Map<String, Value>>) -> Option<&Value> {
    object?.get(SANDBOX).filter(|value| !value.is_null())
}

fn is_within(path: &str) -> bool {
    path.strip_prefix(OWN)
        .and_then(|rest| rest.strip_prefix('.')?.strip_prefix(SANDBOX))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns a value that refuses the call.
pub(super) fn unread(why: String) -> SandboxAnswer {
    SandboxAnswer::Unread { why }
}

fn read(field: &FieldSpec, value: &Value) -> SandboxAnswer {
    if let Err(why) = check_restriction(field, value) {
        return unread(why);
    }
    let part = |name: &str| value.get(name).and_then(Value::as_object);
    let texts = |part: Option<&Map<String, Value>>, name: &str| -> Vec<String> {
        let list = part.and_then(|part| part.get(name)).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let is_true = |part: Option<&Map<String, Value>>, name: &str| {
        part.and_then(|part| part.get(name)).and_then(Value::as_bool).unwrap_or(false)
    };
    let (files, network) = (part("filesystem"), part("network"));
    SandboxAnswer::Grant(CallSandbox {
        filesystem: CallFiles {
            allow_write: texts(files, "allowWrite"),
            deny_read: texts(files, "denyRead"),
            deny_write: texts(files, "denyWrite"),
        },
        network: CallNetwork {
            allowed_domains: texts(network, "allowedDomains").into_iter().collect(),
            denied_domains: texts(network, "deniedDomains").into_iter().collect(),
            allow_local_binding: is_true(network, "allowLocalBinding"),
            allow_all_unix_sockets: is_true(network, "allowAllUnixSockets"),
        },
    })
}
