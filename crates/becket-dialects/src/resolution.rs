//! The resolution of one event: the decision of its hooks and rules, in terms from which the answer of any agent is
//! written.

use becket_model::EventKind;
use serde_json::{Map, Value};

/// The decision about one event, with everything beside it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resolution {
    /// The decision.
    pub action: Action,
    /// The whole input that replaces the model's, in the protocol's keys.
    pub rewrite: Option<Map<String, Value>>,
    /// Text for the model.
    pub context: Option<String>,
    /// The reason of `continue: false`; empty if none is given.
    pub stop: Option<String>,
    /// Text for the user.
    pub message: Option<String>,
    /// The answer as a hook of the protocol prints it.
    pub json: Map<String, Value>,
    /// The text that it prints instead, on the one event without JSON: the path of a worktree.
    pub text: Option<String>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Action {
    /// None: the agent continues as it would without hooks.
    #[default]
    Proceed,
    /// The call runs without a question to the user.
    Allow,
    /// The user is asked about the call.
    Ask {
        /// The reason.
        reason: String,
    },
    /// The call is denied, or the event is blocked.
    Refuse {
        /// The reason.
        reason: String,
    },
}

impl Resolution {
    /// Creates a denial, or a block.
    pub fn denied(reason: impl Into<String>) -> Self {
        Resolution { action: Action::Refuse { reason: reason.into() }, ..Resolution::default() }
    }

    /// Reads the answer that Becket gives as a hook of the protocol: the JSON object on its stdout, and the reason on
    /// its stderr if it ends with exit code 2.
    pub fn from_protocol(kind: EventKind, json: Map<String, Value>, blocked_by_exit: Option<&str>) -> Self {
        let own = json.get("hookSpecificOutput").and_then(Value::as_object);
        let text = |from: Option<&Map<String, Value>>, key: &str| {
            from.and_then(|fields| fields.get(key)).and_then(Value::as_str).map(str::to_owned)
        };
        let request = own.and_then(|own| own.get("decision")).and_then(Value::as_object);
        let is_stopped = json.get("continue") == Some(&Value::Bool(false));
        let stop = is_stopped.then(|| text(Some(&json), "stopReason").unwrap_or_default());
        let reason = text(own, "permissionDecisionReason")
            .or_else(|| text(request, "message"))
            .or_else(|| text(Some(&json), "reason"))
            .or_else(|| blocked_by_exit.map(str::to_owned))
            .or_else(|| stop.clone().filter(|reason| !reason.is_empty()))
            .unwrap_or_else(|| "Blocked by hook".to_owned());
        let decision = text(own, "permissionDecision").or_else(|| text(request, "behavior"));
        let blocks = blocked_by_exit.is_some() || text(Some(&json), "decision").as_deref() == Some("block");
        // A stop before a call also keeps the call from running (D6).
        let is_call = matches!(kind, EventKind::PreToolUse | EventKind::PermissionRequest);
        let action = match decision.as_deref() {
            Some("deny") => Action::Refuse { reason },
            _ if blocks || (is_call && is_stopped) => Action::Refuse { reason },
            Some("ask" | "defer") => Action::Ask { reason },
            Some("allow") => Action::Allow,
            Some(_) | None => Action::Proceed,
        };
        let rewrite = own.and_then(|own| own.get("updatedInput"));
        let rewrite = rewrite.or_else(|| request?.get("updatedInput")).and_then(Value::as_object).cloned();
        Resolution {
            rewrite: rewrite.filter(|_| !matches!(action, Action::Refuse { .. })),
            context: text(own, "additionalContext"),
            stop,
            message: text(Some(&json), "systemMessage"),
            action,
            json,
            text: None,
        }
    }

    /// Returns true if the event is denied or blocked.
    pub fn is_refused(&self) -> bool {
        matches!(self.action, Action::Refuse { .. })
    }
}
