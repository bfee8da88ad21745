//! Permissions that the agent asks for: PreToolUse, then PermissionRequest, then the user.

use super::decision::CallDecision;
use super::messages::{line_of, session_id};
use super::pending::AgentRequest;
use super::proxy::Proxy;
use super::session::AcpSession;
use becket_dialects::acp::{AcpCall, AcpError, PermissionOptions, Selection};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A request that waits for its hooks.
struct HeldRequest {
    session: Arc<AcpSession>,
    calls: Vec<AcpCall>,
    options: PermissionOptions,
    /// True if the agent has already described the call to the editor.
    is_shown: bool,
    id: Value,
    line: Vec<u8>,
    params: Map<String, Value>,
}

/// Holds a request until its hooks have decided.
///
/// # Errors
/// Errors if the request can't be read, or its session is not known.
pub(super) fn hold(
    proxy: &Arc<Proxy>,
    line: &[u8],
    id: Value,
    params: Map<String, Value>,
) -> Result<(), AcpError> {
    let missing = |field| AcpError::Field { field, problem: "missing or of another type" };
    let call = params.get("toolCall").filter(|call| call.is_object()).ok_or(missing("toolCall"))?;
    let call_id = call.get("toolCallId").and_then(Value::as_str).ok_or(missing("toolCallId"))?;
    let session = session_id(&Value::Object(params.clone())).ok_or(missing("sessionId"))?;
    let session = proxy.known_session(&session)?;
    let is_shown = session.is_known_call(call_id);
    let described = session.described(call);
    let request = HeldRequest {
        calls: described.calls(session.cwd())?,
        options: PermissionOptions::read(&params)?,
        is_shown,
        session,
        id,
        line: line.to_vec(),
        params,
    };
    let own = Arc::clone(proxy);
    proxy.spawn(async move { request.decide(&own).await });
    Ok(())
}

/// Remembers what the user has allowed.
pub(super) fn answered(request: &AgentRequest, result: &Value) {
    match request.options.meaning(result) {
        Selection::Allowed => request.session.grant(&request.calls),
        Selection::Rejected => request.calls.first().iter().for_each(|call| request.session.reject(&call.id)),
    }
}

impl HeldRequest {
    async fn decide(self, proxy: &Proxy) {
        let mut decision = self.session.judge(&self.calls, &proxy.cancel).await;
        if decision == CallDecision::Open {
            decision = self.session.judge_request(&self.calls, &proxy.cancel).await;
        }
        match (decision, self.options.allowance()) {
            (CallDecision::Reject { reason }, _) => self.reject(&reason, proxy),
            (CallDecision::Allow, Some(allowance)) => {
                self.session.grant(&self.calls);
                proxy.answer_agent(&self.id, &allowance);
            }
            (CallDecision::Ask { reason }, _) => {
                let line = self.with_reason(&reason);
                self.ask(line, proxy);
            }
            // If the agent has no option for an allow, the user decides.
            (CallDecision::Allow | CallDecision::Open, _) => {
                let line = self.line.clone();
                self.ask(line, proxy);
            }
        }
    }

    /// Makes the editor ask its user.
    fn ask(self, line: Vec<u8>, proxy: &Proxy) {
        let HeldRequest { session, calls, options, id, .. } = self;
        proxy.of_agent.add(&id, AgentRequest { session, calls, options });
        proxy.pass_to_editor(line);
    }

    /// Answers the agent, shows the user why, and keeps the reason for the model.
    fn reject(&self, reason: &str, proxy: &Proxy) {
        let call = self.params.get("toolCall").cloned().unwrap_or_default();
        let title = call["title"].as_str().unwrap_or("a tool call").to_owned();
        proxy.tell_editor(&self.denied_call(&call, &title, reason));
        proxy.answer_agent(&self.id, &self.options.rejection());
        self.calls.first().iter().for_each(|call| self.session.reject(&call.id));
        self.session.carry(Some(format!("`{title}` was not allowed: {reason}")));
    }

    /// Returns the call as the editor shows it: failed, for this reason.
    fn denied_call(&self, call: &Value, title: &str, reason: &str) -> Value {
        let content =
            json!([{"type": "content", "content": {"type": "text", "text": format!("denied: {reason}")}}]);
        let mut update = json!({
            "sessionUpdate": if self.is_shown { "tool_call_update" } else { "tool_call" },
            "toolCallId": call["toolCallId"],
            "status": "failed",
            "title": title,
            "content": content,
        });
        if !call["kind"].is_null() {
            update["kind"] = call["kind"].clone();
        }
        let params = json!({"sessionId": self.session.id, "update": update});
        json!({"jsonrpc": "2.0", "method": "session/update", "params": params})
    }

    /// Returns the request with the reason of the hooks that ask.
    fn with_reason(&self, reason: &str) -> Vec<u8> {
        let mut params = self.params.clone();
        let text =
            json!({"type": "content", "content": {"type": "text", "text": format!("A hook asks: {reason}")}});
        if let Some(call) = params.get_mut("toolCall") {
            match call.get_mut("content") {
                Some(Value::Array(blocks)) => blocks.push(text),
                Some(_) | None => call["content"] = json!([text]),
            }
        }
        let method = "session/request_permission";
        line_of(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}))
    }
}
