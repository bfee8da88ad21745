//! Requests that open sessions, and prompts.

use super::messages::line_of;
use super::pending::EditorRequest;
use super::proxy::Proxy;
use super::session::PromptDecision;
use becket_dialects::acp::{AcpError, PromptText};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Reads a request that opens a session.
///
/// # Errors
/// Errors if its directory can't be read: the hooks of the session would not be known.
pub(super) fn opening(method: &str, params: &Map<String, Value>) -> Result<EditorRequest, AcpError> {
    let missing = |field| AcpError::Field { field, problem: "missing or of another type" };
    let cwd = params.get("cwd").and_then(Value::as_str).ok_or(missing("cwd"))?;
    let is_new = matches!(method, "session/new" | "session/fork");
    let id = params.get("sessionId").and_then(Value::as_str).filter(|_| !is_new).map(str::to_owned);
    let source = if is_new { "startup" } else { "resume" };
    Ok(EditorRequest::Open { cwd: cwd.to_owned(), id, source })
}

/// Holds a prompt until its hooks have decided.
///
/// # Errors
/// Errors if the prompt can't be read, or its session is not known.
pub(super) fn hold(
    proxy: &Arc<Proxy>,
    line: &[u8],
    id: Value,
    mut params: Map<String, Value>,
) -> Result<(), AcpError> {
    let prompt = PromptText::read(&params)?;
    let session = proxy.known_session(&prompt.session)?;
    let (own, line) = (Arc::clone(proxy), line.to_vec());
    // Before anything waits: the next line may be the cancellation.
    let turn = session.turns.begin(&proxy.cancel);
    proxy.spawn(async move {
        let cancelled = json!({"stopReason": "cancelled"});
        let mut unsent = None;
        let line = match session.prompt(&prompt.text, &turn).await {
            PromptDecision::Cancelled => return own.answer_editor(&id, &cancelled),
            PromptDecision::Refuse { reason } => {
                own.tell_editor(&text_of_agent(&session.id, &format!("The prompt was not sent: {reason}")));
                return own.answer_editor(&id, &json!({"stopReason": "refusal"}));
            }
            PromptDecision::Send { context: None } => line,
            PromptDecision::Send { context: Some(context) } => {
                PromptText::add_context(&mut params, &context);
                unsent = Some(context);
                line_of(&json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params}))
            }
        };
        let sent = turn.send(|| {
            let (session, turn) = (Arc::clone(&session), Arc::clone(&turn));
            own.of_editor.add(&id, EditorRequest::Prompt { session, turn, id: id.clone() });
            own.pass_to_agent(line);
        });
        if sent.is_none() {
            session.carry(unsent);
            own.answer_editor(&id, &cancelled);
        }
    });
    Ok(())
}

/// Returns a notification with a text that the editor shows as the agent's.
fn text_of_agent(session: &str, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {
        "sessionId": session,
        "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}},
    }})
}
