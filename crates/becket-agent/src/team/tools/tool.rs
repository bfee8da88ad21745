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

/// Tools that every teammate has, whatever its definition names.
pub(crate) const OF_TEAM: [&str; 5] = ["TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "SendMessage"];

/// Action of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Create,
    Update,
    List,
    Get,
    Send,
}

impl Does {
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

/// Returns the tools of a session's list and, in a team, of its mail. One set serves all agent loops: a call names its
/// caller.
#[must_use]
pub(crate) fn team_tools(team: &Team, engine: &Engine) -> Vec<Arc<dyn Tool>> {
    let mail = team.has_teammates().then_some(Does::Send);
    let all = [Does::Create, Does::Update, Does::List, Does::Get].into_iter().chain(mail);
    all.map(|does| {
        let at = At { team: team.clone(), engine: engine.clone() };
        Arc::new(TeamTool { does, at }) as Arc<dyn Tool>
    })
    .collect()
}

struct TeamTool {
    does: Does,
    at: At,
}

/// Handles of a tool.
pub(super) struct At {
    pub(super) team: Team,
    pub(super) engine: Engine,
}

impl At {
    /// Asks hooks. The caller reports their messages.
    ///
    /// # Errors
    /// They deny, stop the host, or the caller has gone; for the model.
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
            hook_messages::named(verdict.event, None),
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
    pub(super) fn whose(&self, session: &Session) -> (Option<String>, Option<String>) {
        let name = self.team.teammate(session).map(|name| name.to_string());
        (name, self.team.name(session).map(str::to_owned))
    }

    async fn answer(&self, does: Does, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        match does {
            Does::Create => create::run(self, running, &NestedCalls::of(&running)).await,
            Does::Update => update::run(self, running, &NestedCalls::of(&running)).await,
            Does::List => read::list(self, running).await,
            Does::Get => read::get(self, running).await,
            Does::Send => send::run(self, running).await,
        }
    }
}

/// A text of an input.
pub(super) fn text<'a>(input: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    input.get(field).and_then(Value::as_str)
}

/// A failure with its reason.
pub(super) fn failed(error: impl std::fmt::Display) -> ToolFailure {
    ToolFailure::new(error.to_string())
}

impl Tool for TeamTool {
    fn name(&self) -> &str {
        self.does.spec().name
    }

    fn spec(&self) -> ToolSpec {
        self.does.spec().for_model()
    }

    /// Changes are made one after the other: their numbers come in the order of the calls.
    fn hints(&self) -> Hints {
        let reads = matches!(self.does, Does::List | Does::Get);
        Hints { read_only: reads, destructive: false, open_world: false, together: reads }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        self.does.spec().validate(input)?;
        match self.does {
            Does::Create => create::check(input),
            Does::Send => send::check(input),
            Does::Update | Does::List | Does::Get => Ok(()),
        }
    }

    fn defaults(&self) -> Map<String, Value> {
        self.does.spec().defaults()
    }

    /// It writes down what is to be done, and does nothing of it: no mode asks about it.
    fn effect(&self, _: &Session, _: &Map<String, Value>) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.at.answer(self.does, running))
    }
}
