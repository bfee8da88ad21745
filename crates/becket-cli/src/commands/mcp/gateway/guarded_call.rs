//! One call: hooks and rules, the server, hooks again.

use super::Gateway;
use super::answer::{Answer, context_text};
use super::approval_request::Approver;
use super::offer::rule_names;
use becket_dialects::{Action, Resolution};
use becket_engine::CancellationToken;
use becket_fire::call_approval;
use becket_fire::one_time_approval::AskingEntry;
use becket_mcp::{CallError, CallResult, Connect, ProgressListener, ToolCall};
use becket_model::event::tool::{PostToolUse, PostToolUseFailure, PreToolUse};
use becket_model::{Event, EventBody, EventKind};
use becket_tools::mcp::OfferedTool;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// The time limit for the hooks of a cancelled call: no caller waits for its result.
const CANCELLED: Duration = Duration::from_millis(1500);

/// A call on its way to the server.
pub(super) struct GuardedCall<'a> {
    pub(super) gateway: &'a Gateway,
    pub(super) tool: &'a OfferedTool,
    pub(super) input: Map<String, Value>,
    /// The name that the agent reports for itself.
    pub(super) agent: &'a str,
    pub(super) id: String,
    pub(super) cancel: &'a CancellationToken,
}

/// A call that may be made.
struct AllowedCall {
    input: Map<String, Value>,
    /// Texts of hooks for the model, which go into the result.
    texts: Vec<String>,
}

/// A call that was made.
struct MadeCall {
    input: Map<String, Value>,
    milliseconds: u64,
}

impl GuardedCall<'_> {
    /// Runs the call to its end.
    pub(super) async fn run(&self, person: &impl Approver, progress: ProgressListener) -> Answer {
        let allowed = match self.before(person).await {
            Ok(allowed) => allowed,
            Err(reason) => return Answer::refused(&reason),
        };
        let started = Instant::now();
        let called = self.call(allowed.input.clone(), progress).await;
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let made = MadeCall { input: allowed.input, milliseconds };
        let mut answer = match called {
            Ok(result) if result.is_error => {
                self.failed(&made, Answer::of(&result), &failure_text(&result)).await
            }
            Ok(result) => self.succeeded(&made, &result).await,
            Err(CallError::Cancelled { .. }) => self.cancelled(&made).await,
            Err(error) => self.failed(&made, Answer::error(error.to_string()), &error.to_string()).await,
        };
        allowed.texts.iter().for_each(|text| answer.add(text));
        answer
    }

    /// Evaluates rules and hooks.
    ///
    /// # Errors
    /// Returns the reason why the call is not made.
    async fn before(&self, person: &impl Approver) -> Result<AllowedCall, String> {
        let Gateway { gate, limits, notices, .. } = self.gateway;
        gate.refresh().iter().for_each(|kept| notices.show(kept));
        if let Some(rule) = gate.deny_rule(&rule_names(self.tool)) {
            return Err(rule);
        }
        // Hooks and rules on a parameter rely on its type. rule: L0
        if let Err(wrong) = self.tool.tool.check(&self.input) {
            return Err(format!("the input does not fit: {wrong}"));
        }
        let event = self.event(
            PreToolUse::new(self.tool.name.full.to_string(), self.input.clone(), self.id.clone())
                .mcp_server(self.mcp_server()),
        );
        let resolve = gate.resolve(&event, self.cancel);
        let mut resolution = match limits.hooks {
            None => resolve.await,
            Some(limit) => tokio::time::timeout(limit, resolve)
                .await
                .map_err(|_| format!("its hooks took longer than {} s and were ended", limit.as_secs()))?,
        };
        if self.cancel.is_cancelled() {
            return Err("it was cancelled".to_owned());
        }
        resolution.message.iter().for_each(|message| notices.show(message));
        self.settle_ask(&mut resolution, &event, person).await;
        self.allowed(resolution)
    }

    /// Asks a user if hooks or rules ask, and turns the ask into a decision.
    async fn settle_ask(&self, resolution: &mut Resolution, event: &Event, person: &impl Approver) {
        let Action::Ask { reason } = &resolution.action else { return };
        if self.gateway.passes_asks {
            let input = resolution.rewrite.as_ref().unwrap_or(&self.input);
            match person.approve(&self.tool.name.full, input, reason, self.cancel).await {
                Some(true) => return resolution.action = Action::Proceed,
                Some(false) => {
                    return resolution.action =
                        Action::Refuse { reason: format!("the user said no: {reason}") };
                }
                None => {}
            }
        }
        let session = self.gateway.gate.session();
        let call = || call_approval::call_of(session, self.agent, std::slice::from_ref(event));
        let entry = AskingEntry { user_scope: false, call: self.id.clone() };
        call_approval::settle(session, &entry, call, std::slice::from_mut(resolution));
        if let Action::Ask { reason } = &resolution.action {
            let reason =
                format!("this call needs the user's approval, which can't be asked for here: {reason}");
            resolution.action = Action::Refuse { reason };
        }
    }

    fn allowed(&self, resolution: Resolution) -> Result<AllowedCall, String> {
        let context = resolution.context.map(|context| context_text("PreToolUse", &context));
        match resolution.action {
            Action::Proceed | Action::Allow => {}
            Action::Refuse { reason } | Action::Ask { reason } => {
                return Err(std::iter::once(reason).chain(context).collect::<Vec<_>>().join("\n"));
            }
        }
        let is_rewritten = resolution.rewrite.is_some();
        let input = resolution.rewrite.unwrap_or_else(|| self.input.clone());
        if is_rewritten && let Err(wrong) = self.tool.tool.check(&input) {
            return Err(format!(
                "a hook rewrote the input of this call into one that the tool does not take: {wrong}. The call as it was made \
                 was not at fault"
            ));
        }
        let session = &self.gateway.session.id;
        let background = self.gateway.gate.engine().host().collect_background(session);
        let late = background.into_iter().flat_map(|ended| {
            let event = ended.event;
            ended.contexts.into_iter().map(move |context| context_text(event.name(), &context))
        });
        Ok(AllowedCall { input, texts: context.into_iter().chain(late).collect() })
    }

    async fn call(
        &self,
        input: Map<String, Value>,
        progress: ProgressListener,
    ) -> Result<CallResult, CallError> {
        let call = ToolCall {
            server: &self.tool.name.server,
            tool: &self.tool.name.name,
            input,
            limit: self.gateway.limits.call,
            connect: Connect::IfNeeded,
        };
        self.gateway.pool.call_with_progress(call, progress, self.cancel).await
    }

    async fn succeeded(&self, made: &MadeCall, result: &CallResult) -> Answer {
        let event = PostToolUse::new(
            self.tool.name.full.to_string(),
            made.input.clone(),
            self.id.clone(),
            result.tool_response(),
        );
        let event = event.mcp_server(self.mcp_server()).duration_ms(Some(made.milliseconds));
        self.after(Answer::of(result), self.event(event)).await
    }

    async fn failed(&self, made: &MadeCall, answer: Answer, error: &str) -> Answer {
        self.after(answer, self.failure(made, error, false)).await
    }

    /// Notifies hooks of a cancelled call, for a short time: no caller waits for them.
    async fn cancelled(&self, made: &MadeCall) -> Answer {
        let event = self.failure(made, "the call was cancelled", true);
        let over = CancellationToken::new();
        let _ended_when_dropped = over.clone().drop_guard();
        let notified = self.gateway.gate.resolve(&event, &over);
        drop(tokio::time::timeout(CANCELLED, notified).await);
        Answer::error("the call was cancelled: the tool may have done a part of its work")
    }

    fn failure(&self, made: &MadeCall, error: &str, is_interrupt: bool) -> Event {
        self.event(
            PostToolUseFailure::new(
                self.tool.name.full.to_string(),
                made.input.clone(),
                self.id.clone(),
                error.to_owned(),
            )
            .mcp_server(self.mcp_server())
            .is_interrupt(is_interrupt)
            .duration_ms(Some(made.milliseconds)),
        )
    }

    async fn after(&self, mut answer: Answer, event: Event) -> Answer {
        let kind: EventKind = event.kind();
        let resolution = self.gateway.gate.resolve(&event, self.cancel).await;
        let notices = &self.gateway.notices;
        resolution.message.iter().for_each(|message| notices.show(message));
        if let Err(wrong) = answer.apply(kind.name(), &resolution) {
            notices
                .show(&format!("the output that a hook put in place of the tool's own is ignored: {wrong}"));
        }
        answer
    }

    fn event(&self, body: impl Into<EventBody>) -> Event {
        Event::new(self.gateway.session.clone(), body).with_other_names(self.tool.tool.restricting_names())
    }

    fn mcp_server(&self) -> Option<Map<String, Value>> {
        self.tool.tool.server().map(becket_engine::ToolServer::on_the_wire)
    }
}

/// Returns the error of a tool that reports a failure.
fn failure_text(result: &CallResult) -> String {
    let text = result.text();
    if text.trim().is_empty() { "the tool says that it failed".to_owned() } else { text }
}
