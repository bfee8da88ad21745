//! Runs an `agent` handler from its question to its reply, under its limit and the event's cancellation (H8).

use super::calls::Calls;
use super::hooks::Hooks;
use super::talk::Talk;
use super::tool_protocol::{ANSWER, ToolProtocol};
use super::turns::{AgentError, Turns};
use crate::config::handler::{Handler, Prompt};
use crate::handlers::context::HandlerContext;
use crate::handlers::prompt::{ModelRun, Question, asking, model};
use crate::host::panic::catch_service_panic;
use crate::host::tool_set::ToolSet;
use crate::plan::hook_agent;
use crate::report::handler_result::HandlerResult;
use crate::report::model_use::ModelUse;
use becket_llm::ToolSpec;
use becket_model::event::{Agent, PermissionMode};
use becket_model::interpret::ModelAnswer;
use becket_model::{Failure, Session};
use becket_process::CancellationToken;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Tools that start agents; no agent of a hook gets them.
const START_AGENTS: [&str; 2] = ["Agent", "Task"];

/// The time that work inside an agent may take to end after a cancellation; then it is dropped.
const WIND_DOWN: Duration = Duration::from_millis(250);

/// Runs the handler.
pub(crate) async fn run(
    context: &HandlerContext<'_>,
    handler: &Arc<Handler>,
    prompt: &Prompt,
) -> HandlerResult {
    let limit = context.limit_of(handler);
    let cancel = context.cancel.child_token();
    let _told_when_dropped = cancel.clone().drop_guard();
    let mut judged = ModelRun::default();
    let end = {
        let work = AgentRun { context, prompt, cancel: &cancel, deadline: asking::deadline(limit) };
        let mut work = pin!(catch_service_panic(work.judge(&mut judged)));
        match context.within(limit, work.as_mut()).await {
            Ok(Ok(end)) => end.map_err(Failure::from),
            Ok(Err(message)) => Err(Failure::Model { message }),
            Err(failure) => {
                cancel.cancel();
                // A result from now on is too late.
                let _ = tokio::time::timeout(WIND_DOWN, work).await;
                Err(failure)
            }
        }
    };
    // An agent's refusal is always feedback: it has no `continueOnBlock`.
    judged.finish(context, end, true)
}

/// The parts of an agent.
struct AgentRun<'a> {
    context: &'a HandlerContext<'a>,
    prompt: &'a Prompt,
    cancel: &'a CancellationToken,
    deadline: Instant,
}

impl AgentRun<'_> {
    async fn judge(self, judged: &mut ModelRun) -> Result<ModelAnswer, AgentError> {
        let model = model(self.context, self.prompt.model.as_deref()).map_err(AgentError::NoModel)?;
        let used = judged.used.insert(ModelUse::of(&*model));
        let question = Question::of(self.context, &self.prompt.prompt).await;
        judged.warnings.extend(question.warning());
        let offered = offered(self.context);
        let way = ToolProtocol::of(&*model);
        let talk = Talk::new(way.request(&question, &offered, &*model));
        let hooks = Hooks {
            context: self.context,
            cancel: self.cancel,
            session: session(&self.context.event.session),
            beside: Vec::new(),
            notices: &mut judged.notices,
        };
        let calls = Calls { hooks, tools: tools(self.context), offered };
        let text = &mut judged.text;
        Turns { model: &*model, way, talk, calls, deadline: self.deadline, used, text }.verdict().await
    }
}

/// Returns the host's tools under the configuration of the event.
fn tools(context: &HandlerContext<'_>) -> ToolSet {
    let create = || match &context.engine.host.agent_tools {
        Some(create) => create(&context.snapshot.config),
        None => ToolSet::default(),
    };
    context.snapshot.agent_tools.get_or_init(create).clone()
}

/// Returns the host's tools without those that a deny rule removes, that start agents, or that have the answer's name.
fn offered(context: &HandlerContext<'_>) -> Vec<ToolSpec> {
    let tools = tools(context).specs();
    let names = tools.iter().map(|tool| tool.name.as_str());
    let denied: Vec<String> = context
        .snapshot
        .rules
        .tools_denied(names, &context.engine.request.tools)
        .map(|(tool, _)| tool.to_owned())
        .collect();
    let is_offered = |tool: &ToolSpec| {
        tool.name != ANSWER && !START_AGENTS.contains(&tool.name.as_str()) && !denied.contains(&tool.name)
    };
    tools.into_iter().filter(is_offered).collect()
}

/// Returns the session as the agent's own events contain it.
fn session(of_event: &Session) -> Session {
    let agent = Agent::new(hook_agent::fresh(), None);
    of_event.clone().with_permission_mode(PermissionMode::DontAsk).with_agent(agent)
}
