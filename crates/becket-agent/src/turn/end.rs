//! The end of a turn.

use becket_llm::Usage;
use serde_json::{Map, Value};
use std::time::Duration;

/// The result of a turn, which lasts from a prompt until it is the user's turn again.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    /// The reason for the end.
    pub reason: EndReason,
    /// The text of the last answer; empty if there was none.
    pub text: String,
    /// The number of the model's answers.
    pub answers: u32,
    /// The token usage of all answers, including those of subagents.
    pub usage: Usage,
    /// The duration of the turn.
    pub took: Duration,
    /// The time spent waiting for the model.
    pub took_model: Duration,
    /// The cost in US dollars, if prices are known.
    pub cost_usd: Option<f64>,
    /// The calls that were denied.
    pub denials: Vec<Denial>,
    /// The answer as JSON that matches the host's schema; `None` without such a schema, and if the turn has failed.
    pub structured_output: Option<Value>,
    /// Set if the turn was interrupted while calls were open.
    pub in_calls: bool,
}

impl TurnEnd {
    /// Returns the end of a turn that did not send any request.
    pub(crate) fn at_once(reason: EndReason) -> Self {
        Self {
            reason,
            text: String::new(),
            answers: 0,
            usage: Usage::default(),
            took: Duration::ZERO,
            took_model: Duration::ZERO,
            cost_usd: None,
            denials: Vec::new(),
            structured_output: None,
            in_calls: false,
        }
    }
}

/// A call that was denied.
#[derive(Debug, Clone, PartialEq)]
pub struct Denial {
    /// The name of the tool.
    pub tool_name: String,
    /// The id of the call.
    pub tool_use_id: String,
    /// The model's original input.
    pub tool_input: Map<String, Value>,
    /// The reason.
    pub because: String,
}

/// The reason why a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum EndReason {
    /// The model was done, and no hook made it continue.
    Completed,
    /// Stop hooks made it continue more often than the cap allows (L4).
    Capped {
        /// The cap.
        cap: u32,
    },
    /// A hook stopped it: by `continue: false`, or by a prompt hook's verdict (D6).
    HookStopped {
        /// The `stopReason`.
        because: String,
        /// The hook that stopped it; `None` if that is not known any more.
        by: Option<String>,
    },
    /// The prompt was rejected before the model saw it.
    PromptRejected {
        /// The reason.
        because: String,
        /// The hook's event, if a hook rejected it.
        by: Option<RejectedByHook>,
    },
    /// The host's limit on answers was reached.
    MaxTurns {
        /// The limit.
        limit: u32,
    },
    /// The host's limit on the cost was reached, or can't be enforced because the cost of a model is unknown.
    BudgetSpent {
        /// The limit in US dollars.
        limit_usd: f64,
        /// The model whose cost is unknown, if that is the reason.
        unpriced: Option<String>,
    },
    /// The turn was interrupted by the host, a person's denial, or a PermissionRequest hook (D8).
    Interrupted,
    /// Calls wait for the session to be resumed (D10).
    Deferred {
        /// The deferred calls, in order.
        calls: Vec<DeferredCall>,
    },
    /// The tool of a deferred call no longer exists (D10).
    DeferredUnavailable {
        /// The name of the tool.
        tool_name: String,
    },
    /// The classifier of the mode `auto` denied too often in a row.
    DeniedTooOften {
        /// The number of denials.
        times: u32,
    },
    /// The model gave no answer that matches the host's schema.
    NoStructuredOutput {
        /// The number of attempts.
        attempts: u32,
        /// The mismatch between the last attempt and the schema; `None` if there was no attempt.
        mismatch: Option<String>,
    },
    /// The model gave no answer (L3).
    ApiError {
        /// The error class of StopFailure: `rate_limit`, `overloaded`, `authentication_failed`, ….
        class: String,
        /// The message for the user.
        message: String,
        /// The HTTP status, if the provider rejected the request.
        status: Option<u16>,
    },
    /// The conversation does not fit the model any more, and can't be compacted (L5).
    TooLong {
        /// The message for the user.
        message: String,
    },
}

/// The event whose hook rejected a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RejectedByHook {
    /// `UserPromptSubmit` or `UserPromptExpansion`.
    pub event: String,
    /// The prompt as the user wrote it; `None` if the hook wants it hidden (`suppressOriginalPrompt`).
    pub prompt: Option<String>,
}

/// A deferred call.
#[derive(Debug, Clone, PartialEq)]
pub struct DeferredCall {
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The model's original input.
    pub input: Map<String, Value>,
}

impl EndReason {
    /// Returns the text for the user about a rejected prompt; `None` for other ends.
    #[must_use]
    pub fn rejection(&self) -> Option<String> {
        let Self::PromptRejected { because, by } = self else { return None };
        let Some(RejectedByHook { event, prompt }) = by else { return Some(because.clone()) };
        let text = format!("{event} operation blocked by hook:\n{because}");
        Some(match prompt {
            Some(prompt) => format!("{text}\n\nOriginal prompt: {prompt}"),
            None => text,
        })
    }

    /// Returns the name of the reason (`terminal_reason`).
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Capped { .. } => "capped",
            Self::HookStopped { .. } => "hook_stopped",
            Self::PromptRejected { .. } => "prompt_rejected",
            Self::MaxTurns { .. } => "max_turns",
            Self::BudgetSpent { .. } => "max_budget",
            Self::Interrupted => "interrupted",
            Self::Deferred { .. } => "tool_deferred",
            Self::DeferredUnavailable { .. } => "tool_deferred_unavailable",
            Self::DeniedTooOften { .. } => "denied_too_often",
            Self::NoStructuredOutput { .. } => "structured_output_retry_exhausted",
            Self::ApiError { .. } => "api_error",
            Self::TooLong { .. } => "prompt_too_long",
        }
    }

    /// Returns whether the turn failed to do what the user asked for.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        match self {
            Self::Completed | Self::Capped { .. } | Self::HookStopped { .. } | Self::Deferred { .. } => false,
            Self::PromptRejected { .. }
            | Self::MaxTurns { .. }
            | Self::BudgetSpent { .. }
            | Self::Interrupted
            | Self::DeferredUnavailable { .. }
            | Self::DeniedTooOften { .. }
            | Self::NoStructuredOutput { .. }
            | Self::ApiError { .. }
            | Self::TooLong { .. } => true,
        }
    }
}
