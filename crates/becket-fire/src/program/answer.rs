//! The answer to one event.

use super::arguments::FireArguments;
use super::stdin;
use becket_engine::handler::Action;
use becket_engine::{CancellationToken, Engine, Plan, SkipReason};
use becket_fire::{
    EarlySignals, FiringError, HookLaunch, Launch, NoProjectDirectory, ProcessContext, enclosing, fire,
    hook_launch, hook_output, interrupt,
};
use becket_model::Event;
use std::io;
use std::path::PathBuf;

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
    let Some(engine) = engine(&event, arguments, process) else { return Ok(Answer::NotHere) };
    let cancel = CancellationToken::new();
    let fired = interrupt::until_done(&cancel, async {
        early.are_handled();
        let fired = fire(&engine, &event, &cancel, process).await;
        engine.close().await;
        fired
    })?;
    let code = hook_output::of(&fired, "").deliver(io::stdout().lock(), io::stderr().lock())?;
    Ok(Answer::Given(code))
}

/// Returns the engine for an event; `None` if something about its configuration has to be said, or if it plans a handler
/// that only the full program can run.
fn engine(event: &Event, arguments: &FireArguments, process: &ProcessContext) -> Option<Engine> {
    let engine = launch(event, arguments, process)?.builder(true).build().ok()?;
    let is_whole = engine.config().errors().next().is_none();
    (is_whole && runs_commands_alone(&engine.plan(event))).then_some(engine)
}

/// Returns true if only commands run, those included that would run for an input that a hook rewrites (D9).
fn runs_commands_alone(plan: &Plan) -> bool {
    let skipped = plan.skipped();
    let by_input =
        skipped.filter(|skipped| matches!(skipped.why, SkipReason::If { .. })).map(|skipped| skipped.handler);
    let mut handlers = plan.runs().iter().map(|run| run.handler.clone()).chain(by_input);
    handlers.all(|handler| matches!(handler.action, Action::Command(_)))
}

fn launch(event: &Event, arguments: &FireArguments, process: &ProcessContext) -> Option<Launch> {
    let launched_in = |start: PathBuf| -> Result<Launch, NoProjectDirectory> {
        let environment = process.environment().with_enclosing(enclosing::marks());
        let launch = Launch::new(arguments.profile.clone(), environment, start);
        Ok(Launch { managed: arguments.managed.clone(), ..launch }.trusting(arguments.folder_trusted))
    };
    let variable = arguments.profile.var("PROJECT_DIR");
    let HookLaunch { launch, foreign } =
        hook_launch(&event.session.cwd, &[&variable], process, launched_in).ok()?;
    foreign.is_empty().then_some(launch)
}
