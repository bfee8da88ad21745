//! Asks a user whether a call may be made, through the agent (MCP elicitation).
//!
//! INVARIANT: only an accepted form with an explicit yes allows a call.

use becket_engine::CancellationToken;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use rmcp::service::{ElicitationMode, Peer, RoleServer};
use serde_json::{Map, Value, json};

/// The field of the form.
const ALLOW: &str = "allow";

/// A user who can approve calls.
pub(super) trait Approver {
    /// Returns the answer; `None` if nobody can be asked.
    async fn approve(
        &self,
        tool: &str,
        input: &Map<String, Value>,
        reason: &str,
        cancel: &CancellationToken,
    ) -> Option<bool>;
}

impl Approver for Peer<RoleServer> {
    async fn approve(
        &self,
        tool: &str,
        input: &Map<String, Value>,
        reason: &str,
        cancel: &CancellationToken,
    ) -> Option<bool> {
        if !self.supported_elicitation_modes().contains(&ElicitationMode::Form) {
            return None;
        }
        let form: ElicitRequestParams = serde_json::from_value(form(tool, input, reason)).ok()?;
        tokio::select! {
            biased;
            () = cancel.cancelled() => Some(false),
            answer = self.create_elicitation(form) => answer.ok().map(|answer| is_yes(&answer)),
        }
    }
}

fn form(tool: &str, input: &Map<String, Value>, reason: &str) -> Value {
    let call = Value::Object(input.clone());
    json!({
        "mode": "form",
        "message": format!("May `{tool}` be called with {call}? A hook or a rule asks: {reason}"),
        "requestedSchema": {
            "type": "object",
            "properties": {ALLOW: {"type": "boolean", "title": "Allow this call once", "default": false}},
            "required": [ALLOW],
        },
    })
}

fn is_yes(answer: &ElicitResult) -> bool {
    let value = answer.content.as_ref().and_then(|content| content.get(ALLOW));
    answer.action == ElicitationAction::Accept && value == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_an_accepted_yes_is_one() {
        for (answer, expected) in [
            (json!({"action": "accept", "content": {"allow": true}}), true),
            (json!({"action": "accept", "content": {"allow": false}}), false),
            (json!({"action": "accept", "content": {"allow": "true"}}), false),
            (json!({"action": "accept", "content": {}}), false),
            (json!({"action": "accept"}), false),
            (json!({"action": "decline", "content": {"allow": true}}), false),
            (json!({"action": "cancel"}), false),
        ] {
            assert_eq!(is_yes(&serde_json::from_value(answer.clone()).unwrap()), expected, "{answer}");
        }
        let form = form("mcp__a__b", &Map::new(), "why");
        assert!(serde_json::from_value::<ElicitRequestParams>(form).is_ok());
    }
}
