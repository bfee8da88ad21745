//! The end of a turn.

use becket_llm::Usage;
use serde_json::{Map, Value};
use std::time::Duration;

/// A turn at its end: from a prompt to the moment at which the user is asked again.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    /// Reason for the end.
    pub reason: EndReason,
    /// The last answer's text; empty if there was none.
    pub text: String,
    /// Number of the model's answers.
    pub answers: u32,
    /// Tokens of all of them, subagents included.
    pub usage: Usage,
    /// Duration of the turn.
    pub took: Duration,
    /// Time spent waiting for the model.
    pub took_model: Duration,
    /// Cost in US dollars, if prices are known.
    pub cost_usd: Option<f64>,
    /// Calls that were denied.
    pub denials: Vec<Denial>,
    /// The answer in JSON of the host's schema; `None` without such a schema, and if the turn has failed.
    pub structured_output: Option<Value>,
    /// Set if it was interrupted while calls were open.
    pub in_calls: bool,
}

impl TurnEnd {
    /// Returns the end of a turn that ended before its first request.
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
    /// The tool.
    pub tool_name: String,
    /// The call.
    pub tool_use_id: String,
    /// The model's own input.
    pub tool_input: Map<String, Value>,
    /// Why.
    pub because: String,
}

/// The reason why a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum EndReason {
    /// The model was done, and no hook kept it.
    Completed,
    /// A Stop hook kept it more often than the cap allows (L4).
    Capped {
        /// The cap.
        cap: u32,
    },
    /// A hook stopped it: `continue: false`, or a prompt's verdict (D6).
    HookStopped {
        /// `stopReason`.
        because: String,
        /// The hook that stopped it; `None` if that is not known any more.
        by: Option<String>,
    },
    /// The prompt was rejected before the model saw it.
    PromptRejected {
        /// The reason.
        because: String,
        /// The hook's event, if a hook did it.
        by: Option<RejectedByHook>,
    },
    /// As many answers as the host allows.
    MaxTurns {
        /// The limit.
        limit: u32,
    },
    /// The host's limit on the cost is reached, or can't be kept: the cost of a model is not known.
    BudgetSpent {
        /// The limit in US dollars.
        limit_usd: f64,
        /// The model whose cost is not known, if that is the reason.
        unpriced: Option<String>,
    },
    /// Interrupted: by the host, a person's no, a PermissionRequest hook (D8).
    Interrupted,
    /// Calls wait for the session to be resumed (D10).
    Deferred {
        /// All of them, in order.
        calls: Vec<DeferredCall>,
    },
    /// A deferred call's tool is gone (D10).
    DeferredUnavailable {
        /// The tool.
        tool_name: String,
    },
    /// The classifier of the mode `auto` denied too often in a row.
    DeniedTooOften {
        /// Number of times.
        times: u32,
    },
    /// The model gave no answer that fits the host's schema.
    NoStructuredOutput {
        /// Number of times that it was asked for one.
        attempts: u32,
        /// The difference between its last attempt and the schema; `None` if it never got that far.
        mismatch: Option<String>,
    },
    /// The model gave no answer (L3).
    ApiError {
        /// The error class of StopFailure: `rate_limit`, `overloaded`, `authentication_failed`, ….
        class: String,
        /// For the user.
        message: String,
        /// The HTTP status of the refusal, if the provider refused the request.
        status: Option<u16>,
    },
    /// The conversation does not fit the model any more, and can't be made smaller (L5).
    TooLong {
        /// For the user.
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

/// A call that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct DeferredCall {
    /// The call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The model's own input.
    pub input: Map<String, Value>,
}

impl EndReason {
    /// Returns the text that answers a rejected prompt; `None` for other ends.
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

    /// One word (`terminal_reason`).
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
