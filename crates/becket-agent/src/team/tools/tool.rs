//! Common parts of the tools: the list, the engine for their hooks, and the report of a hook's denial.

use super::super::team::Team;
use super::{create, read, send, update};
use crate::hook_messages;
use crate::tool_call::NestedCalls;
use becket_engine::{Effect, Engine, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::{Event, EventBody, Session};
use becket_tools::schema::Spec;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The tools that every teammate has, even if its definition does not name them.
pub(crate) const OF_TEAM: [&str; 5] = ["TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "SendMessage"];

/// The action of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Create,
    Update,
    List,
    Get,
    Send,
}

impl Action {
    const fn spec(self) -> &'static Spec {
        match self {
            Self::Create => &create::SPEC,
            Self::Update => &update::SPEC,
            Self::List => &read::LIST,
            Self::Get => &read::GET,
            Self::Send => &send::SPEC,
        }
    }
}

/// Returns the tools for a session's list and, in a team, for its messages. One set serves all agent loops: a call
/// names its caller.
#[must_use]
pub(crate) fn team_tools(team: &Team, engine: &Engine) -> Vec<Arc<dyn Tool>> {
    let mail = team.has_teammates().then_some(Action::Send);
    let all = [Action::Create, Action::Update, Action::List, Action::Get].into_iter().chain(mail);
    all.map(|action| {
        let at = At { team: team.clone(), engine: engine.clone() };
        Arc::new(TeamTool { action, at }) as Arc<dyn Tool>
    })
    .collect()
}

struct TeamTool {
    action: Action,
    at: At,
}

/// The handles of a tool.
pub(super) struct At {
    pub(super) team: Team,
    pub(super) engine: Engine,
}

impl At {
    /// Fires an event and checks the verdict of its hooks. The caller reports their messages.
    ///
    /// # Errors
    /// Errors, with a text for the model, if they deny, stop the host, or the caller has gone.
    pub(super) async fn judged(
        &self,
        body: impl Into<EventBody>,
        running: RunningCall<'_>,
        nested: &NestedCalls,
    ) -> Result<(), ToolFailure> {
        let event = Event::new(running.session.clone(), body);
        let outcome = self.engine.fire_until(&event, running.cancel).await;
        let verdict = &outcome.verdict;
        let (hook, stop) = (
            hook_messages::hook_name_for(verdict.event, None),
            verdict.stop.as_ref().map(hook_messages::stop_reason),
        );
        let reasons: Vec<String> = hook_messages::blocks(verdict).iter().map(hook_messages::reason).collect();
        nested.fired(outcome);
        if running.cancel.is_cancelled() {
            return Err(ToolFailure::new("the call was cancelled").interrupted(true));
        }
        match (reasons.is_empty(), stop) {
            (false, _) => Err(ToolFailure::new(format!("{hook} hook feedback:\n{}", reasons.join("\n\n")))),
            (true, Some(because)) => Err(ToolFailure::new(format!("stopped by a {hook} hook: {because}"))),
            (true, None) => Ok(()),
        }
    }

    /// Returns the caller and its team, as in events.
    pub(super) fn caller_and_team(&self, session: &Session) -> (Option<String>, Option<String>) {
        let name = self.team.teammate(session).map(|name| name.to_string());
        (name, self.team.name(session).map(str::to_owned))
    }

    async fn answer(&self, action: Action, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        match action {
            Action::Create => create::run(self, running, &NestedCalls::of(&running)).await,
            Action::Update => update::run(self, running, &NestedCalls::of(&running)).await,
            Action::List => read::list(self, running).await,
            Action::Get => read::get(self, running).await,
            Action::Send => send::run(self, running).await,
        }
    }
}

/// Returns a text of an input.
pub(super) fn text<'a>(input: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    input.get(field).and_then(Value::as_str)
}

/// Creates a failure with its reason.
pub(super) fn failed(error: impl std::fmt::Display) -> ToolFailure {
    ToolFailure::new(error.to_string())
}

impl Tool for TeamTool {
    fn name(&self) -> &str {
        self.action.spec().name
    }

    fn spec(&self) -> ToolSpec {
        self.action.spec().for_model()
    }

    /// Changes are made one at a time, so that numbers follow the order of the calls.
    fn hints(&self) -> Hints {
        let reads = matches!(self.action, Action::List | Action::Get);
        Hints { read_only: reads, destructive: false, open_world: false, together: reads }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        self.action.spec().validate(input)?;
        match self.action {
            Action::Create => create::check(input),
            Action::Send => send::check(input),
            Action::Update | Action::List | Action::Get => Ok(()),
        }
    }

    fn defaults(&self) -> Map<String, Value> {
        self.action.spec().defaults()
    }

    /// The tool only records work to be done and does none of it: no mode asks about it.
    fn effect(&self, _: &Session, _: &Map<String, Value>) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.at.answer(self.action, running))
    }
}
