//! The parts of a payload's run that only the full program has: services for all hooks, MCP servers, hooks that no
//! event waits for, rewrites to `becket exec`, and the registration with the agent.

use super::super::as_hook::with_failure;
use super::{asks, write};
use crate::args::{FireArgs, Global};
use crate::commands::fire::{detached, exec_rewrite, human, prepared, servers};
use crate::commands::install::{missing_in_session, places};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::hook_output;
use crate::interrupt;
use crate::out::Out;
use crate::services::{HookServices, ServiceOptions};
use crate::session::{self, Session};
use becket_dialects::{Action, Answer, Dialect, NativeCall, Resolution};
use becket_engine::config::trust::project_root;
use becket_engine::{CancellationToken, Engine};
use becket_fire::dialect::{IncomingPayload, PayloadDecision, PayloadOptions, PayloadRun};
use becket_fire::{EarlySignals, FiringError, LeftHooks};
use becket_model::{Attributed, Event, EventKind, SandboxAnswer};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Runs the hooks of a payload and writes the answer; returns its exit code.
///
/// # Errors
/// Errors if the hooks can't be run, or not in time; the caller then refuses.
pub(super) fn answer_payload(
    payload: &Value,
    dialect: &'static Dialect,
    early: &EarlySignals,
    args: &FireArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> Result<u8, CliError> {
    let options = PayloadOptions {
        asks: asks(args.asks),
        within: args.within.map(Duration::from_secs),
        user_scope: args.user_scope,
    };
    let incoming = IncomingPayload::read(dialect, payload, options, &around.process)?;
    if incoming.first().is_none() {
        return Ok(write(&incoming.answer_without_hooks()));
    }
    let session = session_of(incoming.cwd(), dialect, args, global, around, out)?;
    let is_trusted = args.user_scope && is_trusted_there(dialect, &session, around);
    let run = incoming.in_session(session, is_trusted)?;
    let services = HookServices::silent(&ServiceOptions::from(args), run.launch(), around)?;
    if !args.detached.is_empty() {
        detached::run(&run.payload().events, run.launch(), &services, args, early, around)?;
        return Ok(write(&Answer::nothing()));
    }
    let cancel = CancellationToken::new();
    interrupt::until_done(&cancel, async {
        early.are_handled();
        let limit = run.limit();
        let whole = WholeRun { dialect, input: payload, run: &run, services: &services, args, around };
        let done = tokio::time::timeout(limit, whole.answer(&cancel)).await;
        let done = done.unwrap_or(Err(FiringError::HookLimit { limit: limit.as_secs() }.into()))?;
        let write = || Ok(write(&done.answer));
        Ok::<_, CliError>(match done.left {
            Some((left, engine)) => left.leave(&engine, run.launch(), &cancel, write).await?,
            None => write()?,
        })
    })
}

/// The answer of a run.
struct RunAnswer {
    answer: Answer,
    /// The hooks that still run in the background, and their engine.
    left: Option<(LeftHooks, Engine)>,
}

/// Returns true if the agent itself records that its user trusts the folder.
fn is_trusted_there(dialect: &Dialect, session: &Session, around: &Surroundings) -> bool {
    let request = session.request();
    let root = project_root(&request);
    becket_install::agent(dialect.name)
        .is_some_and(|agent| agent.trusts(&request.start, &root, &places(session, around)))
}

/// Returns the session of the project that the agent names, or of the one around a directory.
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

/// The run of a payload with all features of the full program.
struct WholeRun<'a> {
    dialect: &'static Dialect,
    input: &'a Value,
    run: &'a PayloadRun<'a>,
    services: &'a HookServices,
    args: &'a FireArgs,
    around: &'a Surroundings,
}

impl WholeRun<'_> {
    async fn answer(&self, cancel: &CancellationToken) -> Result<RunAnswer, CliError> {
        let session = self.run.launch();
        let mcp = servers::connected(self.args, session, cancel, |_| ()).await?;
        let builder = || {
            let builder = servers::with_servers(self.services.to(session.builder(true)), mcp.as_ref());
            if self.args.exec_rewrite { builder.carries_rights(exec_rewrite::TOOLS) } else { builder }
        };
        let (events, input) = (&self.run.payload().events, self.input.to_string());
        let engine = detached::engine_of_answer(builder, events, input.as_bytes(), session, self.around)?;
        let findings = human::findings::brief_text(engine.config().errors(), self.around);
        let broken = || with_failure(findings.clone());
        let amend = |resolution: &mut Resolution, event: &Event, fired: &becket_fire::Fired| {
            if self.args.installed.is_some() {
                self.tell_missing(resolution, event, &engine);
            }
            if self.args.exec_rewrite {
                self.rewrite(resolution, event, &fired.outcome.verdict.fields.sandbox, &engine);
            }
        };
        let (mut decision, ()) = tokio::join!(
            self.run.decide(&engine, broken, cancel, &self.around.process, amend),
            detached::end_with_session(&engine, events, session, cancel)
        );
        let left = decision.as_mut().ok().and_then(PayloadDecision::take_left);
        let answer = decision.and_then(|decision| self.run.answer(&engine, decision));
        if left.is_none() || answer.is_err() {
            engine.close().await;
        }
        if let Some(mcp) = &mcp {
            mcp.close().await;
        }
        let answer = answer?;
        Ok(RunAnswer { answer, left: left.map(|left| (left, engine)) })
    }

    /// Rewrites the line to run under `becket exec`, if the agent takes a rewrite that allows nothing. A call with
    /// fewer rights that is not rewritten is denied.
    fn rewrite(
        &self,
        resolution: &mut Resolution,
        event: &Event,
        sandbox: &[Attributed<SandboxAnswer>],
        engine: &Engine,
    ) {
        if resolution.is_refused() {
            return;
        }
        let rewritten = match self.obstacle(&resolution.action, event.kind()) {
            Some(because) => exec_rewrite::unchanged(sandbox, &because),
            None => exec_rewrite::of(engine, event, sandbox, resolution.rewrite.as_ref(), self.around),
        };
        match rewritten {
            Ok(Some(input)) => {
                // Agents that use the protocol's own dialect get the answer unchanged.
                hook_output::add_rewrite(&mut resolution.json, event.kind(), input.clone());
                resolution.rewrite = Some(input);
            }
            Ok(None) => {}
            Err(reason) => *resolution = Resolution::denied(reason),
        }
    }

    /// Returns the reason why the call can't be rewritten, if any.
    fn obstacle(&self, action: &Action, kind: EventKind) -> Option<String> {
        let Dialect { title, .. } = self.dialect;
        let supports = self.dialect.row_of(kind).map(|row| row.supports);
        let Some(supports) = supports.filter(|supports| supports.rewrite) else {
            return Some(format!("{title} doesn't accept rewritten calls"));
        };
        if self.run.payload().call.as_ref().is_some_and(NativeCall::is_input) {
            return Some("the call sends input to a program that is already running".to_owned());
        }
        match action {
            Action::Ask { .. } | Action::Refuse { .. } => Some(exec_rewrite::ASKED.to_owned()),
            Action::Proceed if supports.rewrite_allows => Some(format!(
                "{title} accepts a rewritten call only together with an allow, and nothing allows this call"
            )),
            Action::Proceed | Action::Allow => None,
        }
    }

    /// Adds a text about events that the registration lacks, when a session starts.
    fn tell_missing(&self, resolution: &mut Resolution, event: &Event, engine: &Engine) {
        let agent = becket_install::agent(self.dialect.name);
        let Some(agent) = agent.filter(|_| event.kind() == EventKind::SessionStart) else { return };
        let hooks = engine.host().hooks();
        let kinds: Vec<EventKind> =
            EventKind::ALL.into_iter().filter(|kind| !hooks.of(*kind).is_empty()).collect();
        let missing = missing_in_session(agent, self.run.launch(), &kinds, self.around);
        let lines: Vec<String> = resolution.message.take().into_iter().chain(missing).collect();
        resolution.message = (!lines.is_empty()).then(|| lines.join("\n"));
    }
}
