//! The answer to one event, or to one payload of an agent with a dialect of its own.

use super::arguments::{AgentArguments, FireArguments};
use super::stdin;
use becket_dialects::Answer;
use becket_engine::config::trust::covering;
use becket_engine::handler::{Action, Background};
use becket_engine::{CancellationToken, Engine, Plan, SkipReason};
use becket_fire::dialect::{
    DialectInput, IncomingPayload, PayloadDecision, PayloadOptions, PayloadRun, check_version,
};
use becket_fire::event_gate::EventGate;
use becket_fire::times::{FirstFailure, RecordedHost, TimesSwitch};
use becket_fire::{
    BackgroundWait, EarlySignals, FiringError, HookLaunch, Launch, NoProjectDirectory, ProcessContext,
    carried_context, deliver, enclosing, fire, hook_launch, hook_output, interrupt, stdout,
};
use becket_model::{Event, EventKind};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// The context of an answer.
///
/// Each way to answer returns the exit code of the answer that it has written, or `None` if the full program has to
/// answer; nothing was started then.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerContext<'a> {
    pub(super) early: &'a EarlySignals,
    pub(super) arguments: &'a FireArguments,
    pub(super) process: &'a ProcessContext,
}

impl AnswerContext<'_> {
    /// Fires an event and writes the answer.
    ///
    /// # Errors
    /// Errors if the hooks were interrupted, or if the answer can't be written.
    pub(super) fn answer_event(self, bytes: &[u8]) -> Result<Option<u8>, FiringError> {
        let Some(mut event) = stdin::event(bytes) else { return Ok(None) };
        let variable = self.arguments.profile.var("PROJECT_DIR");
        let failure = FirstFailure::default();
        let Some(launch) = self.launch(&event.session.cwd, &[&variable]) else { return Ok(None) };
        let gate = EventGate::of(&launch, &mut event);
        let planned = self.planned(&launch, std::slice::from_ref(&event), &failure);
        let Some(planned) = planned else { return Ok(None) };
        let engine = &planned.engine;
        let cancel = CancellationToken::new();
        let wait = BackgroundWait::InCopy { launch: &launch, until: None };
        let code = self.run(&planned, &cancel, || async {
            let mut fired = fire(engine, &event, &cancel, self.process, wait).await;
            let denial = fired.as_ref().ok().and_then(|fired| gate.denial(&event, engine, &fired.outcome));
            let left = fired.as_mut().ok().and_then(|fired| fired.left.take());
            if left.is_none() {
                engine.close().await;
            }
            let failure = failure.take().unwrap_or_default();
            let output = hook_output::of(&fired?, &failure).denied_for(event.kind(), denial);
            let write = || output.deliver(stdout(), io::stderr().lock());
            match left {
                Some(left) => left.leave(engine, &launch, &cancel, write).await,
                None => write(),
            }
        })?;
        planned.leave();
        Ok(Some(code))
    }

    /// Fires the events of a payload and writes the answer in the form of the agent.
    ///
    /// # Errors
    /// Errors if the hooks were interrupted, or not ended in time.
    pub(super) fn answer_payload(
        self,
        input: &mut DialectInput,
        bytes: &[u8],
        agent: &AgentArguments,
    ) -> Result<Option<u8>, FiringError> {
        if stdin::is_too_large(bytes) {
            return Ok(None);
        }
        let read = input.read(bytes).and_then(|()| input.recognise(&agent.dialect, self.process));
        let (Ok(dialect), Ok(())) = (read, check_version(agent.installed.as_deref())) else {
            return Ok(None);
        };
        let options = PayloadOptions {
            within: agent.within.map(Duration::from_secs),
            user_scope: agent.user_scope,
            ..PayloadOptions::default()
        };
        let Ok(incoming) = IncomingPayload::read(dialect, input.payload(), options, self.process) else {
            return Ok(None);
        };
        let Some(first) = incoming.first() else {
            return Ok(Some(write_answer(&incoming.answer_without_hooks())));
        };
        // The full program knows the settings about unknown tools, and checks the version of entries.
        let is_start = first.kind() == EventKind::SessionStart && agent.installed.is_some();
        let launch = self.launch(incoming.cwd(), dialect.project_variables);
        // It also knows the folders that agents record as trusted.
        let is_trusted = |launch: &Launch| !agent.user_scope || covering(&launch.request()).is_some();
        let known = incoming.unknown_tool().is_none() && !is_start;
        let Some(launch) = launch.filter(|launch| known && is_trusted(launch)) else {
            return Ok(None);
        };
        let run = incoming.in_session(launch, false)?;
        let failure = FirstFailure::default();
        let Some(planned) = self.planned(run.launch(), &run.payload().events, &failure) else {
            return Ok(None);
        };
        let code = self.write_payload_answer(&run, &planned, &failure)?;
        planned.leave();
        Ok(Some(code))
    }

    /// Fires the events of a payload and writes the answer; returns its exit code.
    fn write_payload_answer(
        self,
        run: &PayloadRun<'_>,
        planned: &PlannedEvents,
        failure: &FirstFailure,
    ) -> Result<u8, FiringError> {
        let engine = &planned.engine;
        let cancel = CancellationToken::new();
        let limit = run.limit();
        let decide = || async {
            let broken = || failure.take().unwrap_or_default();
            let mut decision = run.decide(engine, broken, &cancel, self.process, |_, _, _| ()).await;
            let left = decision.as_mut().ok().and_then(PayloadDecision::take_left);
            let answer = decision.and_then(|decision| run.answer(engine, decision));
            if left.is_none() || answer.is_err() {
                engine.close().await;
            }
            Ok((answer?, left))
        };
        self.run(planned, &cancel, || async {
            let (answer, left) = if planned.is_empty {
                decide().await?
            } else {
                let done = tokio::time::timeout(limit, decide()).await;
                done.unwrap_or(Err(FiringError::HookLimit { limit: limit.as_secs() }))?
            };
            let write = || Ok(write_answer(&answer));
            match left {
                Some(left) => left.leave(engine, run.launch(), &cancel, write).await,
                None => write(),
            }
        })
    }

    /// Runs work on the hooks of a plan; without any it needs no runtime.
    fn run<T, F: Future<Output = Result<T, FiringError>>>(
        self,
        planned: &PlannedEvents,
        cancel: &CancellationToken,
        work: impl Fn() -> F,
    ) -> Result<T, FiringError> {
        let at_once = planned.is_empty.then(|| at_once(work())).flatten();
        at_once.unwrap_or_else(|| {
            interrupt::until_done(cancel, async {
                self.early.are_handled();
                work().await
            })
        })
    }

    /// Plans events; `None` if their configuration needs a message, or if a handler is planned that only the full
    /// program can run.
    fn planned(self, launch: &Launch, events: &[Event], failure: &FirstFailure) -> Option<PlannedEvents> {
        if carried_context::is_kept(launch) || is_end_of_running(launch, events) {
            return None;
        }
        let builder = launch.builder(true);
        let builder = TimesSwitch::of(self.process).observe(builder, RecordedHost::Fire, failure);
        let engine = builder.build().ok()?;
        if engine.config().errors().next().is_some() {
            return None;
        }
        let mut is_empty = true;
        for event in events {
            let plan = engine.plan(event);
            is_empty &= plan.runs().is_empty();
            if !runs_commands_alone(&engine, &plan) {
                return None;
            }
        }
        Some(PlannedEvents { engine, is_empty })
    }

    /// Returns the session around a directory; `variables` are those by which the agent names its project.
    fn launch(self, cwd: &Path, variables: &[&str]) -> Option<Launch> {
        let FireArguments { profile, managed, folder_trusted, .. } = self.arguments;
        let launched_in = |start: PathBuf| -> Result<Launch, NoProjectDirectory> {
            let environment = self.process.environment().with_enclosing_found_by(enclosing::marks);
            let launch = Launch::new(profile.clone(), environment, start);
            Ok(Launch { managed: managed.clone(), ..launch }.trusting(*folder_trusted))
        };
        let HookLaunch { launch, foreign } = hook_launch(cwd, variables, self.process, launched_in).ok()?;
        foreign.is_empty().then_some(launch)
    }
}

/// Returns true if a session ends that may have processes of hooks that nothing waits for.
#[cfg(unix)]
fn is_end_of_running(launch: &Launch, events: &[Event]) -> bool {
    use becket_fire::detached_process::has_any;
    let mut ends = events.iter().filter(|event| event.kind() == EventKind::SessionEnd);
    ends.any(|event| has_any(launch, &event.session.id))
}

/// Returns false: on this platform a session has no such processes.
#[cfg(not(unix))]
fn is_end_of_running(_: &Launch, _: &[Event]) -> bool {
    false
}

/// Writes an answer in the form of an agent; returns its exit code.
pub(super) fn write_answer(answer: &Answer) -> u8 {
    deliver(answer, stdout(), io::stderr().lock())
}

/// Returns the result of work that never waits, and so needs no runtime; `None` if it does wait.
fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

/// An engine that has planned the events of one input.
struct PlannedEvents {
    engine: Engine,
    /// True if no handler runs.
    is_empty: bool,
}

impl PlannedEvents {
    /// Leaks the content of a large configuration until the process ends: freeing it piece by piece is unnecessary.
    fn leave(self) {
        std::mem::forget(self.engine.config());
    }
}

/// Returns true if the event waits only for commands with all rights, including those that would run for an input that
/// a hook rewrites (D9).
fn runs_commands_alone(engine: &Engine, plan: &Plan) -> bool {
    if engine.config().sandbox.contains_plugins {
        return false;
    }
    let skipped = plan.skipped();
    let by_input =
        skipped.filter(|skipped| matches!(skipped.why, SkipReason::If { .. })).map(|skipped| skipped.handler);
    let mut handlers = plan.runs().iter().map(|run| run.handler.clone()).chain(by_input);
    handlers.all(|handler| {
        // The full program has a process for hooks that no event waits for.
        matches!(handler.action, Action::Command(_)) && handler.background == Background::No
    })
}
