//! The hooks of one payload: its events fired one after another, their answers written as one.

use super::super::as_hook::with_failure;
use super::asks;
use super::carried;
use super::unknown_tool;
use crate::args::{FireArgs, Global};
use crate::commands::fire::{exec_rewrite, human, prepared, servers};
use crate::commands::install::missing_in_session;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::hook_gate::approval;
use crate::hook_gate::trust::{self, TrustGate};
use crate::hook_output;
use crate::interrupt;
use crate::out::Out;
use crate::services::{HookServices, ServiceOptions};
use crate::session::{self, Session};
use crate::telemetry;
use becket_dialects::{Action, Answer, Asks, Dialect, Facts, Payload, Resolution, answer, passes_ask, read};
use becket_engine::{CancellationToken, Engine};
use becket_fire::EarlySignals;
use becket_model::{Event, EventKind};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// The time that Becket keeps of the agent's limit for its answer.
const MARGIN: Duration = Duration::from_secs(5);

/// Runs the hooks of a payload.
///
/// # Errors
/// Where they can't be run, or not in time; the caller refuses then.
pub(super) fn answer_payload(
    payload: &Value,
    dialect: &'static Dialect,
    early: &EarlySignals,
    args: &FireArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> Result<Answer, CliError> {
    let cwd = around.process.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned()).unwrap_or_default();
    let mut facts = Facts::new(&cwd);
    let unread = |why: becket_dialects::ReadError| CliError::StdinEvent { why: why.to_string() };
    let mut incoming = read(dialect, payload.clone(), &facts).map_err(unread)?;
    let Some(first) = incoming.events.first() else {
        return Ok(answer(dialect, &incoming, Vec::new(), asks(args.asks)).answer);
    };
    let session = session_of(&first.session.cwd, dialect, args, global, around, out)?;
    let gates = TrustGate::of(session, args.user_scope);
    let settings = unknown_tool::UnknownToolPolicy::of(&gates.session, &incoming);
    if !settings.aliases.is_empty() {
        facts.aliases = &settings.aliases;
        incoming = read(dialect, payload.clone(), &facts).map_err(unread)?;
    }
    let cancel = CancellationToken::new();
    let services = HookServices::silent(&ServiceOptions::from(args), &gates.session, around)?;
    let limit = limit(dialect, args);
    let mut resolutions = interrupt::until_done(&cancel, async {
        early.are_handled();
        let run = PayloadRun {
            dialect,
            incoming: &incoming,
            gates: &gates,
            settings: &settings,
            services: &services,
        };
        let done = tokio::time::timeout(limit, run.run(args, &cancel, around)).await;
        done.unwrap_or(Err(CliError::HookLimit { limit: limit.as_secs() }))
    })?;
    if becomes_denial(&incoming, asks(args.asks)) {
        let call = || approval::call_of(&gates.session, dialect.name, &incoming.events);
        approval::settle(&gates.session, call, &mut resolutions);
    }
    let reply = answer(dialect, &incoming, resolutions, asks(args.asks));
    if let Some(carried) = &reply.carried {
        let session = incoming.events.first().map(|event| &event.session.id);
        session.map_or(Ok(()), |id| carried::keep(&gates.session, id, carried))?;
    }
    Ok(reply.answer)
}

/// Returns true if an ask about the call becomes a denial.
fn becomes_denial(incoming: &Payload, asks: Asks) -> bool {
    incoming.row.is_some_and(|row| row.kind == EventKind::PreToolUse && !passes_ask(row, asks))
}

/// The session of the project that the agent names, or that is found around the directory of the event.
fn session_of(
    cwd: &Path,
    dialect: &Dialect,
    args: &FireArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> Result<Session, CliError> {
    let session = session::as_hook(cwd, dialect.project_variables, global, around, out)?;
    prepared(session, args)
}

/// The time after which Becket answers, whatever the hooks do: the agent would run the call a little later.
fn limit(dialect: &Dialect, args: &FireArgs) -> Duration {
    match args.within {
        Some(seconds) => Duration::from_secs(seconds),
        None => dialect.timeout.default.saturating_sub(MARGIN),
    }
}

/// The run of the hooks of one payload.
struct PayloadRun<'a> {
    dialect: &'static Dialect,
    incoming: &'a Payload,
    gates: &'a TrustGate,
    settings: &'a unknown_tool::UnknownToolPolicy,
    services: &'a HookServices,
}

impl PayloadRun<'_> {
    async fn run(
        &self,
        args: &FireArgs,
        cancel: &CancellationToken,
        around: &Surroundings,
    ) -> Result<Vec<Resolution>, CliError> {
        let session = &self.gates.session;
        let mcp = servers::connected(args, session, cancel, |_| ()).await?;
        let builder = servers::with_servers(self.services.to(session.builder(true)), mcp.as_ref());
        let engine =
            telemetry::observed(builder).build().map_err(|error| CliError::Start { why: error.why })?;
        let broken = human::findings::brief_text(engine.config().errors(), around);
        let done = self.events(&engine, &broken, args, cancel, around).await;
        engine.close().await;
        if let Some(mcp) = &mcp {
            mcp.close().await;
        }
        done
    }

    async fn events(
        &self,
        engine: &Engine,
        broken: &str,
        args: &FireArgs,
        cancel: &CancellationToken,
        around: &Surroundings,
    ) -> Result<Vec<Resolution>, CliError> {
        let rules = self.gates.rules()?;
        let mut resolutions = Vec::with_capacity(self.incoming.events.len());
        for event in &self.incoming.events {
            let fired = becket_fire::fire(engine, event, cancel, &around.process).await?;
            let output = hook_output::of(&fired, &with_failure(broken.to_owned()));
            let blocked = output.stderr.as_deref().filter(|_| output.exit == 2);
            let mut resolution = Resolution::from_protocol(event.kind(), output.json, blocked);
            resolution.text = output.text;
            if let Some(rules) = &rules {
                trust::restrict(&mut resolution, event, engine, rules);
            }
            self.settings.restrict(&mut resolution, event, engine);
            approval::deny_own(&mut resolution, event);
            if args.installed.is_some() {
                self.tell_missing(&mut resolution, event, engine, around);
            }
            if args.exec_rewrite {
                self.rewrite(&mut resolution, event, engine, around);
            }
            resolutions.push(resolution);
        }
        if let (Some(resolution), Some(event)) = (resolutions.first_mut(), self.incoming.events.first()) {
            self.with_carried(resolution, event)?;
        }
        Ok(resolutions)
    }

    /// Has the line run under `becket exec`, if the agent takes a rewrite that allows nothing.
    fn rewrite(&self, resolution: &mut Resolution, event: &Event, engine: &Engine, around: &Surroundings) {
        let support = self.dialect.row_of(event.kind()).map(|row| row.supports);
        let is_open = match resolution.action {
            Action::Allow => true,
            Action::Proceed => support.is_some_and(|support| !support.rewrite_allows),
            Action::Ask { .. } | Action::Refuse { .. } => false,
        };
        if is_open
            && support.is_some_and(|support| support.rewrite)
            && let Some(input) = exec_rewrite::of(engine, event, resolution.rewrite.as_ref(), around)
        {
            // Agents of the protocol's own dialect get the answer as it is.
            hook_output::add_rewrite(&mut resolution.json, event.kind(), input.clone());
            resolution.rewrite = Some(input);
        }
    }

    /// Names what the registration lacks, when a session starts.
    fn tell_missing(
        &self,
        resolution: &mut Resolution,
        event: &Event,
        engine: &Engine,
        around: &Surroundings,
    ) {
        let agent = becket_install::agent(self.dialect.name);
        let Some(agent) = agent.filter(|_| event.kind() == EventKind::SessionStart) else { return };
        let hooks = engine.host().hooks();
        let kinds: Vec<EventKind> =
            EventKind::ALL.into_iter().filter(|kind| !hooks.of(*kind).is_empty()).collect();
        let missing = missing_in_session(agent, &self.gates.session, &kinds, around);
        let lines: Vec<String> = resolution.message.take().into_iter().chain(missing).collect();
        resolution.message = (!lines.is_empty()).then(|| lines.join("\n"));
    }

    /// Adds the context that was kept before the call to the answer about its result.
    fn with_carried(&self, resolution: &mut Resolution, event: &Event) -> Result<(), CliError> {
        let session = &self.gates.session;
        if event.kind() == EventKind::SessionEnd {
            carried::forget(session, &event.session.id);
        } else if event.kind() == EventKind::PostToolUse {
            let call = self.incoming.call.as_ref().map_or("", |call| &call.id);
            let kept = carried::take(session, &event.session.id, call)?;
            let all: Vec<String> = kept.into_iter().chain(resolution.context.take()).collect();
            resolution.context = (!all.is_empty()).then(|| all.join("\n"));
        }
        Ok(())
    }
}
