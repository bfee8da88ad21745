//! Requests by which the agent makes the editor read or write a file, or run a command: PreToolUse decides, and the
//! user if a hook or a rule asks. They apply whatever the agent's own mode is.

use super::decision::CallDecision;
use super::messages::DENIED;
use super::proxy::Proxy;
use super::session::AcpSession;
use becket_dialects::acp::{AcpCall, AcpError, PermissionOptions, Selection, effect_call};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Holds a request until its hooks have decided.
///
/// # Errors
/// Errors if the request can't be read, or its session is not known.
pub(super) fn hold(
    proxy: &Arc<Proxy>,
    line: &[u8],
    id: Value,
    method: &str,
    params: Map<String, Value>,
) -> Result<(), AcpError> {
    let missing = |field| AcpError::Field { field, problem: "missing or of another type" };
    let session = params.get("sessionId").and_then(Value::as_str).ok_or(missing("sessionId"))?;
    let session = proxy.known_session(session)?;
    let calls = effect_call(method, &params, &format!("acp-{}", uuid::Uuid::new_v4()), session.cwd())?;
    let calls = calls.ok_or(missing("method"))?;
    let (own, line) = (Arc::clone(proxy), line.to_vec());
    proxy.spawn(async move {
        let refused = match session.judge(&calls, &own.cancel).await {
            CallDecision::Allow | CallDecision::Open => None,
            CallDecision::Reject { reason } => Some(reason),
            CallDecision::Ask { reason } => {
                let is_allowed = is_allowed(&calls, &reason, &session, &own).await;
                (!is_allowed).then(|| format!("the user said no: {reason}"))
            }
        };
        match refused {
            None => own.pass_to_editor(line),
            Some(reason) => own.refuse_agent(&id, DENIED, &format!("denied: {reason}")),
        }
    });
    Ok(())
}

/// Returns true if the user has already allowed the calls of a request, or allows them now.
async fn is_allowed(calls: &[AcpCall], reason: &str, session: &AcpSession, proxy: &Proxy) -> bool {
    if session.take_grants(calls).await {
        return true;
    }
    // The last one says most: a command with its environment.
    let Some(call) = calls.last() else { return false };
    let mut input = call.input.clone();
    input.extend(call.directory.iter().map(|directory| ("cwd".to_owned(), json!(directory))));
    let subject = ["command", "file_path"].iter().find_map(|key| call.input.get(*key)?.as_str());
    let kind = match call.tool.as_str() {
        "Bash" => "execute",
        "Read" => "read",
        _ => "edit",
    };
    let text =
        json!({"type": "content", "content": {"type": "text", "text": format!("A hook asks: {reason}")}});
    let params = json!({
        "sessionId": session.id,
        "toolCall": {
            "toolCallId": call.id, "title": subject.unwrap_or(&call.tool), "kind": kind, "status": "pending",
            "content": [text], "rawInput": input,
        },
        "options": PermissionOptions::of_proxy(),
    });
    let result = proxy.ask_editor("session/request_permission", &params).await;
    let options = params.as_object().and_then(|params| PermissionOptions::read(params).ok());
    options.is_some_and(|options| options.meaning(&result) == Selection::Allowed)
}
