//! The host as the user of a session: `can_use_tool` (`--permission-prompt-tool stdio`).
//!
//! INVARIANT: only a fully valid answer is a yes.

use super::host::{Host, PendingNotice};
use crate::peer::Answer;
use becket_agent::tool_call::{AskPermission, PermissionAnswer, PermissionPrompt};
use becket_engine::CancellationToken;
use becket_rules::PermissionUpdate;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

/// The tool whose questions are answered together with its input (D3).
const ASKS: &str = "AskUserQuestion";

/// Asks the user of the host.
pub(crate) struct HostPerson(Host);

impl HostPerson {
    /// Creates the user of this host.
    pub(crate) fn new(host: Host) -> Self {
        HostPerson(host)
    }
}

impl AskPermission for HostPerson {
    fn ask<'a>(
        &'a self,
        prompt: &'a PermissionPrompt,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, PermissionAnswer> {
        let message = needs_permission(prompt);
        let notice = PendingNotice { kind: "permission_prompt", message };
        Box::pin(async move { read(prompt, self.0.ask_person(question(prompt), notice).await) })
    }
}

/// Returns the sentence that a user reads first.
fn needs_permission(prompt: &PermissionPrompt) -> String {
    format!("Becket needs your permission to use {}", prompt.tool)
}

fn question(prompt: &PermissionPrompt) -> Value {
    let suggestions: Vec<Value> = prompt.suggestions.iter().map(PermissionUpdate::to_json).collect();
    let mut question = json!({
        "subtype": "can_use_tool",
        "tool_name": prompt.tool,
        "input": prompt.input,
        "permission_suggestions": suggestions,
        "decision_reason": prompt.because,
        "tool_use_id": prompt.tool_use_id,
        "title": needs_permission(prompt),
        "display_name": prompt.tool,
    });
    if let Some(description) = prompt.input.get("description").and_then(Value::as_str) {
        question["description"] = json!(description);
    }
    if let Some(path) = &prompt.outside {
        question["blocked_path"] = json!(path);
    }
    if let Some(agent) = &prompt.agent_id {
        question["agent_id"] = json!(agent);
    }
    question
}

/// Reads the host's answer to this prompt.
pub(crate) fn read(prompt: &PermissionPrompt, answer: Answer) -> PermissionAnswer {
    let no = |why: String| PermissionAnswer::Deny { message: Some(why), interrupt: false };
    let fields = match answer {
        Ok(Value::Object(fields)) => fields,
        Ok(other) => return no(format!("the host's answer to `can_use_tool` is not an object but {other}")),
        Err(error) => return no(error.to_string()),
    };
    match fields.get("behavior").and_then(Value::as_str) {
        Some("allow") => allowed(prompt, &fields)
            .unwrap_or_else(|why| no(format!("the host's approval can't be read: {why}"))),
        Some("deny") => PermissionAnswer::Deny {
            message: fields.get("message").and_then(Value::as_str).map(str::to_owned),
            interrupt: fields.get("interrupt") == Some(&Value::Bool(true)),
        },
        Some(_) | None => {
            let got = fields.get("behavior").map_or_else(|| "missing".to_owned(), ToString::to_string);
            no(format!("`behavior` of the host's answer is {got}, but must be `allow` or `deny`"))
        }
    }
}

fn allowed(prompt: &PermissionPrompt, fields: &Map<String, Value>) -> Result<PermissionAnswer, String> {
    let updates = updates(fields.get("updatedPermissions"))?;
    let input = match fields.get("updatedInput") {
        None | Some(Value::Null) => return Ok(PermissionAnswer::Allow { updates }),
        Some(Value::Object(input)) => input,
        Some(_) => return Err("`updatedInput` must be an object".to_owned()),
    };
    match input.get("answers") {
        Some(Value::Object(_)) if prompt.tool == ASKS && !updates.is_empty() => {
            Err("`updatedPermissions` can't come with answers: a question grants nothing".to_owned())
        }
        Some(Value::Object(answers)) if prompt.tool == ASKS => {
            Ok(PermissionAnswer::Answered { answers: answers.clone() })
        }
        Some(_) | None => Ok(PermissionAnswer::Rewritten { input: input.clone(), updates }),
    }
}

/// Reads all updates or none: an unreadable one may be a restriction.
fn updates(given: Option<&Value>) -> Result<Vec<PermissionUpdate>, String> {
    match given {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(given)) => given
            .iter()
            .map(|one| PermissionUpdate::parse(one).map_err(|why| format!("`updatedPermissions`: {why}")))
            .collect(),
        Some(_) => Err("`updatedPermissions` must be a list".to_owned()),
    }
}
