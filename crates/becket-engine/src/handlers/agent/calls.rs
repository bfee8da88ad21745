//! One tool call of an agent: its hooks, the rules, the mode `dontAsk`, the tool, its hooks again (H8, L1, P14).
//!
//! INVARIANT: a tool runs only on an input that hooks and rules have judged, and only if the settlement allows it, or
//! leaves it open and the mode `default` would not ask. Any other settlement is a refusal.

use super::hooks::Hooks;
use super::tool_protocol::{ANSWER, CallAnswer};
use super::turns::AgentError;
use crate::handlers::prompt::middle_out;
use crate::host::tool::{Effect, RunningCall, Tool, ToolCall, ToolFailure, ToolOutput};
use crate::host::tool_set::ToolSet;
use crate::permission::decide::Settlement;
use crate::report::outcome::EffectiveInput;
use becket_llm::{Object, ToolSpec};
use becket_model::Verdict;
use becket_model::event::tool::{PostToolBatch, PostToolUse, PostToolUseFailure, PreToolUse};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// The largest number of characters of a tool's output that the model sees.
const MOST_SHOWN: usize = 30_000;

/// The model's answer to a call that no rule allows.
const NOT_ALLOWED: &str = "not allowed: no permission rule covers this call, and there is no user to ask. What only reads \
                           inside the working directory needs no permission";

/// Runs the calls of one agent.
pub(crate) struct Calls<'a> {
    pub(crate) hooks: Hooks<'a>,
    pub(crate) tools: ToolSet,
    /// The tools that the model was offered.
    pub(crate) offered: Vec<ToolSpec>,
}

impl Calls<'_> {
    /// Answers the calls of one turn, one after the other, and adds the texts of hooks.
    pub(crate) async fn answer_all(
        &mut self,
        calls: Vec<ToolCall>,
    ) -> Result<(Vec<(ToolCall, CallAnswer)>, Vec<String>), AgentError> {
        let mut answered = Vec::with_capacity(calls.len());
        for call in calls {
            let answer = self.answer(&call).await?;
            answered.push((call, answer));
        }
        let tool_calls = answered.iter().map(|(call, answer)| of_batch(call, answer)).collect();
        drop(self.hooks.fire_after(PostToolBatch::new(tool_calls)).await?);
        Ok((answered, std::mem::take(&mut self.hooks.beside)))
    }

    async fn answer(&mut self, call: &ToolCall) -> Result<CallAnswer, AgentError> {
        // A response that is not a call of a tool fires no PreToolUse (L0).
        if call.name == ANSWER {
            let text = "answer alone: the results of your other calls come first".to_owned();
            return Ok(CallAnswer { text, is_error: true });
        }
        let Some(tool) = self.tools.find(&call.name).filter(|_| self.is_offered(&call.name)) else {
            return Ok(CallAnswer { text: self.unknown(&call.name), is_error: true });
        };
        let inner = self.hooks.context.engine;
        if let Err(wrong) = inner.tools.check(&call.name, &call.input) {
            return Ok(CallAnswer { text: format!("the input does not fit: {wrong}"), is_error: true });
        }
        let event = PreToolUse::new(call.name.clone(), call.input.clone(), call.id.clone());
        let outcome = self.hooks.fire(event).await?;
        let input = match outcome.judged {
            EffectiveInput::Input(input) => input,
            EffectiveInput::AsFired | EffectiveInput::Nothing => call.input.clone(),
        };
        let may_run = self.may_run(&*tool, &input, outcome.settlement.as_ref())?;
        if let Err(because) = may_run.and_then(|()| has_all_rights(&outcome.verdict)) {
            return Ok(CallAnswer { text: because, is_error: true });
        }
        self.run(&*tool, call, input).await
    }

    fn is_offered(&self, tool: &str) -> bool {
        self.offered.iter().any(|spec| spec.name == tool)
    }

    fn unknown(&self, tool: &str) -> String {
        let names: Vec<&str> = self.offered.iter().map(|spec| spec.name.as_str()).collect();
        format!("there is no tool `{tool}` here; there are: {}", names.join(", "))
    }

    /// Returns whether the call runs; if not, the reason for the model. A stop ends the agent (D6).
    fn may_run(
        &self,
        tool: &dyn Tool,
        input: &Object,
        settlement: Option<&Settlement>,
    ) -> Result<Result<(), String>, AgentError> {
        Ok(match settlement {
            Some(Settlement::Allowed { .. }) => Ok(()),
            Some(Settlement::Undecided) if self.only_reads(tool, input) => Ok(()),
            Some(Settlement::Undecided) | None => Err(NOT_ALLOWED.to_owned()),
            Some(Settlement::Denied { because }) => Err(format!("denied: {because}")),
            Some(Settlement::Asked { because }) => {
                Err(format!("denied: this call has to be asked for, and there is no user to ask: {because}"))
            }
            Some(Settlement::Deferred) => {
                Err("denied: a hook put this call off until a person takes it up, and nobody can".to_owned())
            }
            Some(Settlement::Stopped { because }) => {
                return Err(AgentError::Stopped { because: because.clone() });
            }
        })
    }

    async fn run(
        &mut self,
        tool: &dyn Tool,
        call: &ToolCall,
        input: Object,
    ) -> Result<CallAnswer, AgentError> {
        let started = Instant::now();
        let running = RunningCall {
            session: &self.hooks.session,
            id: &call.id,
            input: &input,
            own: &input,
            rights: &[],
            cancel: self.hooks.cancel,
            // The handler's own limit ends the agent and its calls.
            limit: Duration::MAX,
            caller: &(),
        };
        let ended = match tool.check(&input) {
            Ok(()) => tool.run(running).await,
            Err(wrong) => Err(ToolFailure::new(wrong)),
        };
        if self.hooks.cancel.is_cancelled() {
            return Err(AgentError::Cancelled);
        }
        let duration_ms = Some(u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX));
        let is_error = ended.is_err();
        let text = match ended {
            Ok(output) => self.succeeded(tool, call, input, output, duration_ms).await?,
            Err(failure) => self.failed(call, input, failure, duration_ms).await?,
        };
        Ok(CallAnswer { text: middle_out(&text, MOST_SHOWN).into_owned(), is_error })
    }

    async fn failed(
        &mut self,
        call: &ToolCall,
        tool_input: Object,
        failure: ToolFailure,
        duration_ms: Option<u64>,
    ) -> Result<String, AgentError> {
        let failed =
            PostToolUseFailure::new(call.name.clone(), tool_input, call.id.clone(), failure.error.clone())
                .is_interrupt(false)
                .duration_ms(duration_ms);
        drop(self.hooks.fire_after(failed).await?);
        Ok(failure.error)
    }

    /// Returns the text for the model: the tool's own, or that of the output by which a hook replaced it.
    async fn succeeded(
        &mut self,
        tool: &dyn Tool,
        call: &ToolCall,
        tool_input: Object,
        output: ToolOutput,
        duration_ms: Option<u64>,
    ) -> Result<String, AgentError> {
        let text = output.as_text();
        let used = PostToolUse::new(call.name.clone(), tool_input, call.id.clone(), output.response)
            .duration_ms(duration_ms);
        let outcome = self.hooks.fire_after(used).await?;
        let fields = &outcome.verdict.fields;
        let rewrite = fields.updated_tool_output.as_ref().or(fields.updated_mcp_tool_output.as_ref());
        let replaced = rewrite.and_then(|rewrite| tool.replaced(&rewrite.what).ok());
        Ok(replaced.map_or(text, |output| output.as_text()))
    }

    /// Returns whether the mode `default` runs the call without a question (P14).
    fn only_reads(&self, tool: &dyn Tool, input: &Object) -> bool {
        tool.check(input).is_ok() && tool.effect(&self.hooks.session, input) == Effect::Reads
    }
}

/// Refuses a call whose rights hooks restrict: the tools of agents can't enforce restrictions (E5).
fn has_all_rights(verdict: &Verdict) -> Result<(), String> {
    match verdict.fields.sandbox.first() {
        Some(answer) => {
            Err(format!("denied: {}", answer.refusal("can't be enforced for the agent of a hook")))
        }
        None => Ok(()),
    }
}

/// Converts a call to the form of PostToolBatch: the call as the model wrote it, and its answer.
fn of_batch(call: &ToolCall, answered: &CallAnswer) -> Map<String, Value> {
    let fields = [
        ("tool_name", json!(call.name)),
        ("tool_input", Value::Object(call.input.clone())),
        ("tool_use_id", json!(call.id)),
        ("tool_response", json!(answered.text)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
