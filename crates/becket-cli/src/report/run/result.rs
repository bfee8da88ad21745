//! The result of a prompt, as one object.

use super::content::Tokens;
use super::input::MessageMetadata;
use super::spending::ModelSpending;
use becket_agent::SessionUsage;
use becket_agent::turn::{Denial, EndReason, TurnEnd};
use becket_llm::Usage;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// The result of a prompt: its last line in stream-json, and the whole output in json.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RunResult {
    r#type: &'static str,
    /// `success`, `error_during_execution`, `error_max_turns`, `error_max_budget_usd` or
    /// `error_max_structured_output_retries`.
    pub(crate) subtype: &'static str,
    pub(crate) is_error: bool,
    pub(crate) duration_ms: u64,
    duration_api_ms: u64,
    pub(crate) num_turns: u32,
    /// The last answer's text, or the reason why there is none.
    pub(crate) result: String,
    /// The last answer as JSON that matches the host's schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) structured_output: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) errors: Vec<String>,
    /// The reason why the model stopped, or the reason of the hook that stopped it (O7).
    pub(crate) stop_reason: Option<String>,
    /// The hook that stopped the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stopped_by: Option<String>,
    pub(crate) session_id: String,
    /// The cost of the session so far; `None` if a price is unknown.
    total_cost_usd: Option<f64>,
    usage: Tokens,
    /// The share of each model in the cost.
    #[serde(rename = "modelUsage")]
    model_usage: BTreeMap<String, ModelSpending>,
    pub(crate) permission_denials: Vec<DeniedCall>,
    /// The last of the deferred calls, which wait for the session to be resumed (D10).
    #[serde(skip_serializing_if = "Option::is_none")]
    deferred_tool_use: Option<DeferredCall>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deferred_tool_uses: Vec<DeferredCall>,
    pub(crate) terminal_reason: &'static str,
    /// The HTTP status of the failed request to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_error_status: Option<u16>,
    uuid: String,
    /// The failed request to a model, if it ended the turn.
    #[serde(skip)]
    pub(super) api_error: Option<ApiError>,
    /// The fields that the program sent with the prompt.
    #[serde(flatten)]
    sent: MessageMetadata,
    /// True if the program itself answered, and no model was called.
    #[serde(skip)]
    pub(crate) is_command: bool,
}

/// A request to a model that has finally failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiError {
    /// The error class of StopFailure.
    pub(super) class: String,
    /// The message of the provider or the network.
    pub(super) message: String,
}

/// A call that was denied.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct DeniedCall {
    tool_name: String,
    tool_use_id: String,
    tool_input: Map<String, Value>,
}

/// A call that waits for the session to be resumed.
#[derive(Debug, Clone, Serialize)]
struct DeferredCall {
    id: String,
    name: String,
    input: Map<String, Value>,
}

impl RunResult {
    /// Returns the reason for the end in one word; for an interrupt, it depends on what was interrupted.
    fn terminal_reason(end: &TurnEnd) -> &'static str {
        match (&end.reason, end.in_calls) {
            (EndReason::Interrupted, true) => "aborted_tools",
            (EndReason::Interrupted, false) => "aborted_streaming",
            (reason, _) => reason.as_str(),
        }
    }

    /// Converts the end of a turn; `displayed` is a hook's replacement of its text (D11).
    pub(crate) fn new(end: &TurnEnd, displayed: Option<String>, session: String, uuid: String) -> Self {
        let error = error(&end.reason);
        let deferred = deferred(&end.reason);
        let text = displayed.unwrap_or_else(|| end.text.clone());
        let result = if text.is_empty() { end_note(&end.reason).or(error.clone()) } else { Some(text) };
        RunResult {
            r#type: "result",
            subtype: subtype(&end.reason),
            is_error: end.reason.is_error(),
            duration_ms: milliseconds(end.took),
            duration_api_ms: milliseconds(end.took_model),
            num_turns: end.answers,
            result: result.unwrap_or_default(),
            structured_output: end.structured_output.clone(),
            errors: error.into_iter().collect(),
            stop_reason: stop_reason(&end.reason),
            stopped_by: stopped_by(&end.reason),
            session_id: session,
            total_cost_usd: end.cost_usd,
            usage: end.usage.into(),
            model_usage: BTreeMap::new(),
            permission_denials: end.denials.iter().map(DeniedCall::from).collect(),
            deferred_tool_use: deferred.last().cloned(),
            deferred_tool_uses: deferred,
            terminal_reason: Self::terminal_reason(end),
            api_error_status: api_error_status(&end.reason),
            uuid,
            api_error: api_error(&end.reason),
            sent: MessageMetadata::default(),
            is_command: false,
        }
    }

    /// Returns true if there was work to summarize: not for a prompt that a hook rejected, or an invalid command.
    pub(crate) fn has_worked(&self) -> bool {
        !self.is_command && (self.num_turns > 0 || self.terminal_reason != "prompt_rejected")
    }

    /// Returns the answer for people and pipes: in JSON, if a schema was set.
    pub(crate) fn answer(&self) -> String {
        self.structured_output.as_ref().map_or_else(|| self.result.clone(), Value::to_string)
    }

    /// Replaces the text of the result, which remains an error.
    #[must_use]
    pub(crate) fn with_text(self, text: String) -> Self {
        RunResult { result: text, ..self }
    }

    /// Adds the spending of the session so far.
    #[must_use]
    pub(crate) fn of_session(self, spent: SessionUsage) -> Self {
        let models = spent.models.into_iter().map(|of| (of.model.clone(), ModelSpending::from(of)));
        RunResult { total_cost_usd: spent.cost_usd, model_usage: models.collect(), ..self }
    }

    /// Adds the fields of the program that sent the prompt.
    #[must_use]
    pub(crate) fn of_message(self, sent: MessageMetadata) -> Self {
        RunResult { sent, ..self }
    }

    /// Returns true if the turn was interrupted.
    pub(crate) fn was_interrupted(&self) -> bool {
        matches!(self.terminal_reason, "aborted_tools" | "aborted_streaming")
    }

    /// Converts the result to a success: for a program, a rejected prompt or command is an answer like any other.
    #[must_use]
    pub(crate) fn into_success(self) -> Self {
        RunResult { subtype: "success", is_error: false, errors: Vec::new(), ..self }
    }

    /// Creates the result of a command, which needs no model; `done` is its answer, or the reason why it failed.
    pub(crate) fn of_command(
        done: Result<String, String>,
        took: Duration,
        session: String,
        uuid: String,
    ) -> Self {
        let (answer, error) = match done {
            Ok(answer) => (answer, None),
            Err(why) => (String::new(), Some(why)),
        };
        let (subtype, terminal_reason) = match &error {
            None => ("success", "completed"),
            Some(_) => ("error_during_execution", "command_failed"),
        };
        RunResult {
            r#type: "result",
            subtype,
            is_error: error.is_some(),
            duration_ms: milliseconds(took),
            duration_api_ms: 0,
            num_turns: 0,
            result: error.clone().unwrap_or(answer),
            structured_output: None,
            errors: error.into_iter().collect(),
            stop_reason: None,
            stopped_by: None,
            session_id: session,
            total_cost_usd: None,
            usage: Usage::default().into(),
            model_usage: BTreeMap::new(),
            permission_denials: Vec::new(),
            deferred_tool_use: None,
            deferred_tool_uses: Vec::new(),
            terminal_reason,
            api_error_status: None,
            uuid,
            api_error: None,
            sent: MessageMetadata::default(),
            is_command: true,
        }
    }
}

impl From<&Denial> for DeniedCall {
    fn from(denial: &Denial) -> Self {
        DeniedCall {
            tool_name: denial.tool_name.clone(),
            tool_use_id: denial.tool_use_id.clone(),
            tool_input: denial.tool_input.clone(),
        }
    }
}

pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

const fn subtype(reason: &EndReason) -> &'static str {
    match reason {
        EndReason::MaxTurns { .. } => "error_max_turns",
        EndReason::NoStructuredOutput { .. } => "error_max_structured_output_retries",
        EndReason::BudgetSpent { .. } => "error_max_budget_usd",
        // For programs the run itself succeeded; `is_error` and `terminal_reason` report the failure of the provider.
        EndReason::ApiError { .. } => "success",
        reason if reason.is_error() => "error_during_execution",
        EndReason::Completed
        | EndReason::Capped { .. }
        | EndReason::HookStopped { .. }
        | EndReason::PromptRejected { .. }
        | EndReason::Interrupted
        | EndReason::Deferred { .. }
        | EndReason::DeferredUnavailable { .. }
        | EndReason::DeniedTooOften { .. }
        | EndReason::TooLong { .. } => "success",
    }
}

/// Returns the reason why the model stopped, under its name in the output.
fn stop_reason(reason: &EndReason) -> Option<String> {
    match reason {
        EndReason::Completed | EndReason::Capped { .. } => Some("end_turn".to_owned()),
        EndReason::Deferred { .. } => Some("tool_deferred".to_owned()),
        EndReason::DeferredUnavailable { .. } => Some("tool_deferred_unavailable".to_owned()),
        EndReason::HookStopped { because, .. } => Some(because.clone()),
        EndReason::PromptRejected { .. }
        | EndReason::MaxTurns { .. }
        | EndReason::BudgetSpent { .. }
        | EndReason::Interrupted
        | EndReason::DeniedTooOften { .. }
        | EndReason::NoStructuredOutput { .. }
        | EndReason::ApiError { .. }
        | EndReason::TooLong { .. } => None,
    }
}

/// Returns the hook that stopped the turn.
fn stopped_by(reason: &EndReason) -> Option<String> {
    match reason {
        EndReason::HookStopped { by, .. } => by.clone(),
        EndReason::Completed
        | EndReason::Capped { .. }
        | EndReason::PromptRejected { .. }
        | EndReason::MaxTurns { .. }
        | EndReason::BudgetSpent { .. }
        | EndReason::Interrupted
        | EndReason::Deferred { .. }
        | EndReason::DeferredUnavailable { .. }
        | EndReason::DeniedTooOften { .. }
        | EndReason::NoStructuredOutput { .. }
        | EndReason::ApiError { .. }
        | EndReason::TooLong { .. } => None,
    }
}

fn api_error(reason: &EndReason) -> Option<ApiError> {
    match reason {
        EndReason::ApiError { class, message, .. } => {
            Some(ApiError { class: class.clone(), message: message.clone() })
        }
        EndReason::Completed
        | EndReason::Capped { .. }
        | EndReason::HookStopped { .. }
        | EndReason::PromptRejected { .. }
        | EndReason::MaxTurns { .. }
        | EndReason::BudgetSpent { .. }
        | EndReason::Interrupted
        | EndReason::Deferred { .. }
        | EndReason::DeferredUnavailable { .. }
        | EndReason::DeniedTooOften { .. }
        | EndReason::NoStructuredOutput { .. }
        | EndReason::TooLong { .. } => None,
    }
}

fn api_error_status(reason: &EndReason) -> Option<u16> {
    if let EndReason::ApiError { status, .. } = reason { *status } else { None }
}

/// The error class of an otherwise unclassified error.
const UNKNOWN: &str = "unknown";

/// Returns the reason why the request failed; `None` if it did not fail.
fn error(reason: &EndReason) -> Option<String> {
    Some(match reason {
        EndReason::Completed
        | EndReason::Capped { .. }
        | EndReason::HookStopped { .. }
        | EndReason::Deferred { .. } => return None,
        EndReason::PromptRejected { because, .. } => format!("the prompt was rejected: {because}"),
        EndReason::MaxTurns { limit } => {
            format!("the model was not done after {limit} answers; `--max-turns` sets how many it may have")
        }
        EndReason::BudgetSpent { limit_usd, unpriced: None } => {
            format!("the session has reached its limit of {limit_usd} US dollars (`--max-budget-usd`)")
        }
        EndReason::BudgetSpent { limit_usd, unpriced: Some(model) } => format!(
            "the limit of {limit_usd} US dollars (`--max-budget-usd`) can't be kept, as the price of `{model}` is not \
             known: add it to `~/.becket/models.json`"
        ),
        EndReason::Interrupted => "interrupted".to_owned(),
        EndReason::DeferredUnavailable { tool_name } => {
            format!("a deferred call can't be resumed: the tool `{tool_name}` no longer exists")
        }
        EndReason::DeniedTooOften { times } => {
            format!("the permission classifier denied {times} calls: the turn was ended")
        }
        EndReason::NoStructuredOutput { attempts, mismatch } => {
            no_structured_output(*attempts, mismatch.as_deref())
        }
        EndReason::ApiError { class, message, .. } if class == UNKNOWN => {
            format!("the model gave no answer: {message}")
        }
        EndReason::ApiError { class, message, .. } => {
            format!("the model gave no answer ({class}): {message}")
        }
        EndReason::TooLong { message } => message.clone(),
    })
}

fn no_structured_output(attempts: u32, mismatch: Option<&str>) -> String {
    let why = mismatch.map(|why| format!("; the last one does not fit: {why}")).unwrap_or_default();
    let plural = if attempts == 1 { "" } else { "s" };
    format!("the model gave no answer of the schema in {attempts} attempt{plural}{why}")
}

/// Returns the note on a successful end without an answer.
fn end_note(reason: &EndReason) -> Option<String> {
    match reason {
        EndReason::HookStopped { because, .. } => Some(because.clone()),
        EndReason::Completed
        | EndReason::Capped { .. }
        | EndReason::PromptRejected { .. }
        | EndReason::MaxTurns { .. }
        | EndReason::BudgetSpent { .. }
        | EndReason::Interrupted
        | EndReason::Deferred { .. }
        | EndReason::DeferredUnavailable { .. }
        | EndReason::DeniedTooOften { .. }
        | EndReason::NoStructuredOutput { .. }
        | EndReason::ApiError { .. }
        | EndReason::TooLong { .. } => None,
    }
}

fn deferred(reason: &EndReason) -> Vec<DeferredCall> {
    match reason {
        EndReason::Deferred { calls } => {
            let one = |call: &becket_agent::turn::DeferredCall| DeferredCall {
                id: call.id.clone(),
                name: call.name.clone(),
                input: call.input.clone(),
            };
            calls.iter().map(one).collect()
        }
        EndReason::Completed
        | EndReason::Capped { .. }
        | EndReason::HookStopped { .. }
        | EndReason::PromptRejected { .. }
        | EndReason::MaxTurns { .. }
        | EndReason::BudgetSpent { .. }
        | EndReason::Interrupted
        | EndReason::DeferredUnavailable { .. }
        | EndReason::DeniedTooOften { .. }
        | EndReason::NoStructuredOutput { .. }
        | EndReason::ApiError { .. }
        | EndReason::TooLong { .. } => Vec::new(),
    }
}
