//! Values that must never be shown (S3): header values with expanded variables, credentials, a URL's query.
//!
//! Servers send back parts of a request, above all in error pages. Every text of an answer that people or models read
//! is filtered here, and so is everything of it in reports and errors. Decisions are read first, and a tool's input
//! stays as it is: a changed command is another command.

use becket_base::secret::Redactor;
use becket_model::interpret::Interpretation;
use becket_model::{Decision, Failure, Fields, Reply, RequestDecision, SandboxAnswer};
use serde_json::Value;

/// Removes the secrets from the texts of an answer.
pub(super) fn redact(redactor: &Redactor, mut taken: Interpretation) -> Interpretation {
    if let Some(failure) = &taken.failure {
        let original = failure.to_string();
        let message = redactor.redact(&original);
        if message != original {
            taken.failure = Some(Failure::Request { message });
        }
    }
    taken.warnings.iter_mut().chain(&mut taken.unknown_fields).for_each(|text| *text = redactor.redact(text));
    let Reply { decision, stop, system_message, terminal_sequence, context, notices, fields } =
        &mut taken.reply;
    let reason = match decision {
        Some(Decision::Permission { reason, .. }) => reason.as_mut(),
        Some(Decision::Block { reason, .. }) => Some(reason),
        Some(Decision::PermissionRequest(RequestDecision::Deny { message, .. })) => message.as_mut(),
        Some(
            Decision::PermissionRequest(RequestDecision::Allow { .. })
            | Decision::Elicitation { .. }
            | Decision::Worktree(_),
        )
        | None => None,
    };
    let texts = context.iter_mut().map(|context| &mut context.text);
    let texts = texts.chain(notices.iter_mut().map(|notice| &mut notice.text));
    let stop = stop.as_mut().and_then(|stop| stop.reason.as_mut());
    let texts = texts.chain(reason).chain(stop).chain(system_message).chain(terminal_sequence);
    texts.for_each(|text| *text = redactor.redact(text));
    if !fields.is_empty() {
        redact_fields(redactor, fields);
    }
    taken
}

fn redact_fields(redactor: &Redactor, fields: &mut Fields) {
    let Fields { display_content, session_title, initial_user_message, classifier_context, .. } = fields;
    let texts = [display_content, session_title, initial_user_message, classifier_context];
    texts.into_iter().flatten().for_each(|text| *text = redactor.redact(text));
    redact_sandbox(redactor, &mut fields.sandbox);
    let outputs = [&mut fields.updated_tool_output, &mut fields.updated_mcp_tool_output];
    outputs.into_iter().flatten().for_each(|output| redact_value(redactor, output));
}

/// Makes rights that contain a secret unreadable: a changed path is another path, and reasons show the rights.
fn redact_sandbox(redactor: &Redactor, sandbox: &mut Option<SandboxAnswer>) {
    let Some(answer) = sandbox else { return };
    let shown = answer.unread().map_or_else(|| answer.to_string(), str::to_owned);
    if redactor.redact(&shown) != shown {
        *answer = SandboxAnswer::Unread { why: "it holds a value that must not be shown".to_owned() };
    }
}

fn redact_value(redactor: &Redactor, value: &mut Value) {
    match value {
        Value::String(text) => *text = redactor.redact(text),
        Value::Array(values) => values.iter_mut().for_each(|value| redact_value(redactor, value)),
        Value::Object(object) => object.values_mut().for_each(|value| redact_value(redactor, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
