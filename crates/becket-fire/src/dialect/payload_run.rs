//! The hooks of one payload: its events fired one after another, their answers combined into one.

use super::mcp_servers;
use super::unknown_tool::UnknownToolPolicy;
use crate::call_approval;
use crate::carried_context;
use crate::fire::{BackgroundWait, Fired, fire};
use crate::one_time_approval::AskingEntry;
use crate::person_gate::PersonGate;
use crate::result::{deny_if, record_denial};
use crate::trust_gate::{self, TrustGate};
use crate::{FiringError, Launch, LeftHooks, ProcessContext, hook_output};
use becket_dialects::{
    Answer, Asks, Dialect, Facts, Payload, ReadError, Resolution, answer, passes_ask, read,
};
use becket_engine::{CancellationToken, Engine, Outcome};
use becket_model::{Event, EventKind};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// The part of the agent's limit that Becket reserves for its answer.
const MARGIN: Duration = Duration::from_secs(5);

/// The time that hooks in the background have to end before the answer would come too late; half of a short limit.
const ENDING: Duration = Duration::from_secs(2);

/// The options of an answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct PayloadOptions {
    /// The handling of asks.
    pub asks: Asks,
    /// The time after which Becket answers; the agent's own limit less a margin if there is none.
    pub within: Option<Duration>,
    /// True if the entry is in the user's configuration, false if it is in a project's.
    pub user_scope: bool,
}

/// A payload, read as events.
#[derive(Debug)]
pub struct IncomingPayload<'a> {
    dialect: &'static Dialect,
    input: &'a Value,
    cwd: String,
    mcp_servers: Vec<String>,
    options: PayloadOptions,
    payload: Payload,
}

impl<'a> IncomingPayload<'a> {
    /// Reads a payload.
    ///
    /// # Errors
    /// Errors if the payload is not one of the dialect, or if its call can't be judged.
    pub fn read(
        dialect: &'static Dialect,
        input: &'a Value,
        options: PayloadOptions,
        process: &ProcessContext,
    ) -> Result<Self, FiringError> {
        let cwd = process.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned()).unwrap_or_default();
        let mut payload = read(dialect, input.clone(), &Facts::new(&cwd)).map_err(unread)?;
        let mut mcp_servers = Vec::new();
        if payload.unknown_tool().is_some() {
            mcp_servers = mcp_servers::configured(dialect, Path::new(&payload.cwd), process);
        }
        if !mcp_servers.is_empty() {
            let facts = Facts { mcp_servers: &mcp_servers, ..Facts::new(&cwd) };
            payload = read(dialect, input.clone(), &facts).map_err(unread)?;
        }
        check_directories(&payload)?;
        Ok(IncomingPayload { dialect, input, cwd, mcp_servers, options, payload })
    }

    /// Returns the directory of the session, around which the project is. The command of a call may run in another.
    pub fn cwd(&self) -> &Path {
        Path::new(&self.payload.cwd)
    }

    /// Returns the first event; `None` if there is nothing to decide.
    pub fn first(&self) -> Option<&Event> {
        self.payload.events.first()
    }

    /// Returns the tool of the call if the table of the dialect does not have it.
    pub fn unknown_tool(&self) -> Option<&str> {
        self.payload.unknown_tool()
    }

    /// Returns the answer if there is nothing to decide.
    pub fn answer_without_hooks(&self) -> Answer {
        answer(self.dialect, &self.payload, Vec::new(), self.options.asks).answer
    }

    /// Adds the session to the events. `is_trusted` is true if the agent records trust in the project; Becket's own record
    /// is read here (G3).
    ///
    /// # Errors
    /// Errors if the payload can't be read with the settings of the session.
    pub fn in_session(mut self, launch: Launch, is_trusted: bool) -> Result<PayloadRun<'a>, FiringError> {
        let gates = TrustGate::of(launch, self.options.user_scope, is_trusted);
        let settings = UnknownToolPolicy::of(&gates.launch, &self.payload);
        if !settings.aliases.is_empty() {
            let aliases = &settings.aliases;
            let facts = Facts { mcp_servers: &self.mcp_servers, aliases, ..Facts::new(&self.cwd) };
            self.payload = read(self.dialect, self.input.clone(), &facts).map_err(unread)?;
        }
        let limit = limit(self.dialect, self.options);
        let start = Instant::now();
        let background_end = start + (limit - ENDING.min(limit / 2));
        Ok(PayloadRun { incoming: self, gates, settings, end: start + limit, background_end })
    }
}

fn unread(why: ReadError) -> FiringError {
    FiringError::Payload { why: why.to_string() }
}

/// Checks the directories in which the commands of a call that is still to come would run: rules compare its paths
/// there.
fn check_directories(payload: &Payload) -> Result<(), FiringError> {
    let to_come = payload
        .events
        .iter()
        .filter(|event| matches!(event.kind(), EventKind::PreToolUse | EventKind::PermissionRequest));
    for event in to_come {
        let directory = &event.session.cwd;
        if directory != Path::new(&payload.cwd) && !directory.is_dir() {
            let why = format!("its command would run in `{}`, which is not a directory", directory.display());
            return Err(FiringError::Payload { why });
        }
    }
    Ok(())
}

/// Returns the time within which Becket answers, whatever the hooks do: the agent would run the call a little later.
fn limit(dialect: &Dialect, options: PayloadOptions) -> Duration {
    options.within.unwrap_or_else(|| dialect.timeout.default.saturating_sub(MARGIN))
}

/// A payload in its session: events with the hooks that may answer them.
#[derive(Debug)]
pub struct PayloadRun<'a> {
    incoming: IncomingPayload<'a>,
    gates: TrustGate,
    settings: UnknownToolPolicy,
    /// The moment at which Becket answers, whatever is left to judge.
    end: Instant,
    background_end: Instant,
}

impl PayloadRun<'_> {
    /// Returns the session whose hooks run.
    pub fn launch(&self) -> &Launch {
        &self.gates.launch
    }

    /// Returns the payload.
    pub fn payload(&self) -> &Payload {
        &self.incoming.payload
    }

    /// Returns the time after which the hooks are ended.
    pub fn limit(&self) -> Duration {
        limit(self.incoming.dialect, self.incoming.options)
    }

    /// Fires the events. `broken` describes what could not be loaded or recorded; `amend` adds to each resolution what
    /// only the caller knows.
    ///
    /// # Errors
    /// Errors if they can't be fired, or if files for their answers can't be used.
    pub async fn decide(
        &self,
        engine: &Engine,
        broken: impl Fn() -> String,
        cancel: &CancellationToken,
        process: &ProcessContext,
        mut amend: impl FnMut(&mut Resolution, &Event, &Fired),
    ) -> Result<PayloadDecision, FiringError> {
        let rules = self.gates.rules()?;
        let events = &self.payload().events;
        let first = events.first();
        let person =
            first.map_or_else(PersonGate::default, |event| PersonGate::of(self.launch(), event.kind()));
        let mut resolutions = Vec::with_capacity(events.len());
        let mut outcomes = Vec::with_capacity(events.len());
        let mut left = None;
        for event in events {
            // Rules alone never wait, so that no timer ends them.
            if Instant::now() >= self.end {
                return Err(FiringError::HookLimit { limit: self.limit().as_secs() });
            }
            // Without a hook nothing continues in the background, and there may be no clock.
            let is_planned = !engine.plan(event).runs().is_empty();
            let until = is_planned.then_some(self.background_end);
            let wait = BackgroundWait::InCopy { launch: self.launch(), until };
            let mut fired = fire(engine, event, cancel, process, wait).await?;
            left = left.or(fired.left.take());
            let output = hook_output::of(&fired, &broken());
            let blocked = output.stderr.as_deref().filter(|_| output.exit == 2);
            let mut resolution = Resolution::from_protocol(event.kind(), output.json, blocked);
            resolution.text = output.text;
            if let Some(rules) = &rules {
                trust_gate::restrict(&mut resolution, event, engine, rules);
            }
            deny_if(&mut resolution, || self.settings.denial(event, engine).or_else(|| person.denial(event)));
            amend(&mut resolution, event, &fired);
            record_denial(engine, event, &fired.outcome, &resolution);
            resolutions.push(resolution);
            outcomes.push(fired.outcome);
        }
        if let (Some(resolution), Some(event)) = (resolutions.first_mut(), events.first()) {
            self.add_carried(resolution, event)?;
        }
        Ok(PayloadDecision { resolutions, outcomes, left })
    }

    /// Adds the context that was kept before the call to the answer about its result, and texts that hooks have added
    /// since their event.
    fn add_carried(&self, resolution: &mut Resolution, event: &Event) -> Result<(), FiringError> {
        let (launch, id, kind) = (self.launch(), &event.session.id, event.kind());
        if kind == EventKind::SessionEnd {
            carried_context::forget(launch, id);
            return Ok(());
        }
        if !self.payload().row.is_some_and(|row| row.supports.context) {
            return Ok(());
        }
        let mut kept = Vec::new();
        if matches!(kind, EventKind::PostToolUse | EventKind::PostToolUseFailure) {
            kept.extend(carried_context::take(launch, id, self.call_id())?);
        }
        kept.extend(carried_context::take_late(launch, id, kind));
        if !kept.is_empty() {
            kept.extend(resolution.context.take());
            resolution.context = Some(kept.join("\n"));
        }
        Ok(())
    }

    fn call_id(&self) -> &str {
        self.payload().call.as_ref().map_or("", |call| &call.id)
    }

    /// Returns the answer for a decision: an ask that the agent can't show to its user names the way to allow the call,
    /// and context that it does not accept yet is kept. The audit log gets the denials that only the agent makes
    /// necessary.
    ///
    /// # Errors
    /// Errors if the context can't be kept.
    pub fn answer(&self, engine: &Engine, decision: PayloadDecision) -> Result<Answer, FiringError> {
        let IncomingPayload { dialect, options, payload, .. } = &self.incoming;
        let PayloadDecision { mut resolutions, outcomes, left: _ } = decision;
        if becomes_denial(payload, options.asks) {
            let entry = AskingEntry { user_scope: options.user_scope, call: self.call_id().to_owned() };
            let call = || call_approval::call_of(self.launch(), dialect.name, &payload.events);
            call_approval::settle(self.launch(), &entry, call, &mut resolutions);
        }
        let is_refused = resolutions.iter().any(Resolution::is_refused);
        let reply = answer(dialect, payload, resolutions, options.asks);
        if let Some(reason) = reply.refusal.filter(|_| !is_refused) {
            for (event, outcome) in payload.events.iter().zip(&outcomes) {
                engine.host().record_denial(event, outcome, &reason);
            }
        }
        if let (Some(carried), Some(first)) = (&reply.carried, payload.events.first()) {
            carried_context::keep(self.launch(), &first.session.id, carried)?;
        }
        Ok(reply.answer)
    }
}

/// The decision about the events of a payload, which becomes one answer.
#[derive(Debug)]
pub struct PayloadDecision {
    /// One for each event.
    resolutions: Vec<Resolution>,
    /// The outcomes behind them.
    outcomes: Vec<Outcome>,
    left: Option<LeftHooks>,
}

impl PayloadDecision {
    /// Takes the hooks that still run in the background, if there are any: the engine has to stay open for them.
    pub fn take_left(&mut self) -> Option<LeftHooks> {
        self.left.take()
    }
}

/// Returns true if an ask about the call becomes a denial.
fn becomes_denial(incoming: &Payload, asks: Asks) -> bool {
    incoming.row.is_some_and(|row| row.kind == EventKind::PreToolUse && !passes_ask(row, asks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_dialects::dialect;
    use becket_engine::{Environment, Profile};
    use serde_json::json;

    // rule: H4
    #[test]
    fn rules_alone_end_at_the_limit_of_the_agent() {
        let directory = tempfile::tempdir().unwrap();
        let process = ProcessContext {
            arguments: Vec::new(),
            vars: Vec::new(),
            home: None,
            cwd: Some(directory.path().to_owned()),
            temp: directory.path().to_owned(),
        };
        let input = json!({"hook_event_name": "BeforeTool", "session_id": "s", "transcript_path": "", "timestamp": "",
            "cwd": directory.path(), "tool_name": "run_shell_command", "tool_input": {"command": "ls"}});
        for (within, is_in_time) in [(Duration::ZERO, false), (Duration::from_secs(60), true)] {
            let options = PayloadOptions { within: Some(within), ..PayloadOptions::default() };
            let incoming =
                IncomingPayload::read(dialect("gemini").unwrap(), &input, options, &process).unwrap();
            let start = directory.path().to_owned();
            let launch = Launch {
                managed: Some(start.join("managed")),
                ..Launch::new(Profile::claude(), Environment::empty(), start)
            };
            let run = incoming.in_session(launch, false).unwrap();
            let engine = run.launch().builder(true).build().unwrap();
            let cancel = CancellationToken::new();
            let decide = run.decide(&engine, String::new, &cancel, &process, |_, _, _| ());
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let decided = runtime.block_on(decide);
            let is_late = matches!(decided, Err(FiringError::HookLimit { limit: 0 }));
            assert_eq!((decided.is_ok(), is_late), (is_in_time, !is_in_time), "{decided:?}");
        }
    }
}
