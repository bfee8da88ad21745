//! The answer to one event.

use super::arguments::FireArguments;
use super::stdin;
use becket_engine::handler::Action;
use becket_engine::{CancellationToken, Engine, Plan, SkipReason};
use becket_fire::times::{FirstFailure, RecordedHost, TimesSwitch};
use becket_fire::{
    EarlySignals, FiringError, HookLaunch, Launch, NoProjectDirectory, ProcessContext, enclosing, fire,
    hook_launch, hook_output, interrupt,
};
use becket_model::Event;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The answer of this program.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is written; the exit code.
    Given(u8),
    /// The full program has to give it. Nothing was started.
    NotHere,
}

/// Fires an event and writes the answer.
///
/// # Errors
/// Errors if the hooks were interrupted, or if the answer can't be written.
pub(super) fn answer(
    bytes: &[u8],
    early: &EarlySignals,
    arguments: &FireArguments,
    process: &ProcessContext,
) -> Result<Answer, FiringError> {
    let Some(event) = stdin::event(bytes) else { return Ok(Answer::NotHere) };
    let failure = FirstFailure::default();
    let Some(planned) = planned(&event, arguments, process, &failure) else { return Ok(Answer::NotHere) };
    let engine = &planned.engine;
    let cancel = CancellationToken::new();
    let fire = || async {
        let fired = fire(engine, &event, &cancel, process).await;
        engine.close().await;
        fired
    };
    let at_once = planned.is_empty.then(|| at_once(fire())).flatten();
    let fired = at_once.unwrap_or_else(|| {
        interrupt::until_done(&cancel, async {
            early.are_handled();
            fire().await
        })
    })?;
    let failure = failure.take().unwrap_or_default();
    let code = hook_output::of(&fired, &failure).deliver(io::stdout().lock(), io::stderr().lock())?;
    // The process ends: what a large configuration holds need not be freed piece by piece.
    std::mem::forget(engine.config());
    Ok(Answer::Given(code))
}

/// Returns the result of work that waits for nothing, and so needs no runtime; `None` if it waits after all.
fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

/// An engine that has planned an event.
struct PlannedEvent {
    engine: Engine,
    /// True if no handler runs.
    is_empty: bool,
}

/// Plans an event; `None` if something about its configuration has to be said, or if it plans a handler
/// that only the full program can run.
fn planned(
    event: &Event,
    arguments: &FireArguments,
    process: &ProcessContext,
    failure: &FirstFailure,
) -> Option<PlannedEvent> {
    let builder = launch(event, arguments, process)?.builder(true);
    let builder = TimesSwitch::of(process).observe(builder, RecordedHost::Fire, failure);
    let engine = builder.build().ok()?;
    let is_whole = engine.config().errors().next().is_none();
    let plan = engine.plan(event);
    let is_empty = plan.runs().is_empty();
    (is_whole && runs_commands_alone(&engine, &plan)).then_some(PlannedEvent { engine, is_empty })
}

/// Returns true if only commands with all rights run, those included that would run for an input that a hook rewrites
/// (D9).
fn runs_commands_alone(engine: &Engine, plan: &Plan) -> bool {
    if engine.config().sandbox.contains_plugins {
        return false;
    }
    let skipped = plan.skipped();
    let by_input =
        skipped.filter(|skipped| matches!(skipped.why, SkipReason::If { .. })).map(|skipped| skipped.handler);
    let mut handlers = plan.runs().iter().map(|run| run.handler.clone()).chain(by_input);
    handlers.all(|handler| matches!(handler.action, Action::Command(_)))
}

fn launch(event: &Event, arguments: &FireArguments, process: &ProcessContext) -> Option<Launch> {
    let launched_in = |start: PathBuf| -> Result<Launch, NoProjectDirectory> {
        let environment = process.environment().with_enclosing_found_by(enclosing::marks);
        let launch = Launch::new(arguments.profile.clone(), environment, start);
        Ok(Launch { managed: arguments.managed.clone(), ..launch }.trusting(arguments.folder_trusted))
    };
    let variable = arguments.profile.var("PROJECT_DIR");
    let HookLaunch { launch, foreign } =
        hook_launch(&event.session.cwd, &[&variable], process, launched_in).ok()?;
    foreign.is_empty().then_some(launch)
}
