//! The hooks of an event that nobody waits for (`async`, `asyncRewake`) run in a separate process: this one exits with
//! its answer, and an agent waits for that.
//!
//! The process is this program with the same arguments and input. It runs only these hooks, each up to its own limit,
//! ends with the last of them or with the session, and stores their output for the model until an answer includes it
//! (A3): an agent can't be woken.
//!
//! INVARIANT: a hook runs once: in this process, unless the other process was started.

use crate::args::FireArgs;
use crate::enclosing;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::interrupt;
use crate::services::HookServices;
use crate::session::Session;
use crate::telemetry;
use becket_engine::handler::{Background, Handler};
use becket_engine::{Builder, CancellationToken, Engine, NotAudited, SkipReason};
use becket_fire::{BackgroundEnd, BackgroundWait, EarlySignals, carried_context};
use becket_model::{Event, EventKind};
use std::sync::Arc;

/// Returns the engine for the answer to some events: without the hooks that no event waits for, if a separate process
/// runs them. `builder` creates a builder of the engine, `input` is what this process has read.
///
/// # Errors
/// Errors if the configuration forbids the start.
pub(super) fn engine_of_answer(
    builder: impl Fn() -> Builder,
    events: &[Event],
    input: &[u8],
    session: &Session,
    around: &Surroundings,
) -> Result<Engine, CliError> {
    let whole = telemetry::observed(builder());
    let loaded = whole.load().map_err(|error| CliError::Start { why: error.why })?;
    let engine = whole.build_with(&loaded);
    let hooks = DetachedHooks::of(&engine, events);
    if hooks.planned.is_empty() || !is_started(&hooks.planned, events, input, session, around) {
        return Ok(engine);
    }
    let others = move |hook: Handler| (!hooks.contains(&hook)).then_some(hook);
    Ok(telemetry::observed(builder()).amend_hooks(others).build_with(&loaded))
}

/// Runs the hooks with these positions for the events, and stores their output: in the process that
/// [`engine_of_answer`] starts. Their decisions have no effect, so they are not audited.
///
/// # Errors
/// Errors if the configuration forbids the start, or the hooks were interrupted.
pub(super) fn run(
    events: &[Event],
    session: &Session,
    services: &HookServices,
    args: &FireArgs,
    early: &EarlySignals,
    around: &Surroundings,
) -> Result<(), CliError> {
    let Some((last, others)) = events.split_last() else { return Ok(()) };
    let hooks = DetachedHooks { planned: args.detached.clone(), duplicates: Vec::new() };
    let builder = services.to(session.builder(true));
    let builder = builder.amend_hooks(move |hook| hooks.contains(&hook).then_some(hook));
    // `observed` sets the audit log whose records are exported, so this comes after it.
    let builder = telemetry::observed(builder).audit(Arc::new(NotAudited));
    let engine = builder.build().map_err(|error| CliError::Start { why: error.why })?;
    let cancel = CancellationToken::new();
    Ok(interrupt::until_done(&cancel, async {
        early.are_handled();
        for event in others {
            let _undecided = engine.fire_until(event, &cancel).await;
        }
        let done = becket_fire::fire(&engine, last, &cancel, &around.process, BackgroundWait::ToTheEnd).await;
        engine.close().await;
        let texts_of = |ended: BackgroundEnd| ended.context.into_iter().chain(ended.reminder);
        let texts = done?.background.into_iter().flat_map(texts_of);
        carried_context::keep_late(session, &last.session.id, texts.collect())
    })?)
}

/// The hooks that no event waits for, by their positions in the configuration.
struct DetachedHooks {
    /// The hooks that run.
    planned: Vec<u64>,
    /// The duplicates, for each of which another hook runs (H1).
    duplicates: Vec<u64>,
}

impl DetachedHooks {
    fn of(engine: &Engine, events: &[Event]) -> Self {
        let mut hooks = DetachedHooks { planned: Vec::new(), duplicates: Vec::new() };
        // Hooks at the end of a session run here, within its budget.
        for event in events.iter().filter(|event| event.kind() != EventKind::SessionEnd) {
            let all = engine.host().hooks();
            if !all.of(event.kind()).iter().any(|hook| hook.background != Background::No) {
                continue;
            }
            let plan = engine.plan(event);
            let runs = plan.runs().iter().filter(|run| run.handler.background != Background::No);
            hooks.planned.extend(runs.map(|run| run.handler.place.position));
            let duplicates =
                plan.skipped().filter(|skipped| matches!(skipped.why, SkipReason::Duplicate { .. }));
            hooks.duplicates.extend(duplicates.map(|skipped| skipped.handler.place.position));
        }
        hooks
    }

    fn contains(&self, hook: &Handler) -> bool {
        let position = &hook.place.position;
        hook.background != Background::No
            && (self.planned.contains(position) || self.duplicates.contains(position))
    }
}

/// Starts the process of the hooks with these positions; returns false if it can't be started.
#[cfg(unix)]
fn is_started(
    positions: &[u64],
    events: &[Event],
    input: &[u8],
    session: &Session,
    around: &Surroundings,
) -> bool {
    use becket_fire::detached_process::DetachedProcess;
    use becket_process::{Command, Program, start_detached};
    use std::ffi::OsString;
    let Some(event) = events.first() else { return false };
    let Ok(Some(process)) = DetachedProcess::create(session, &event.session.id) else { return false };
    let Ok(lock) = process.descriptor() else { return false };
    let positions: Vec<String> = positions.iter().map(u64::to_string).collect();
    let mut more = vec!["--detached".to_owned(), positions.join(",")];
    // The surrounding process is not that of a hook, and has the mark of these events.
    let marks = enclosing::marks();
    if !marks.is_empty() {
        more.extend(["--enclosing".to_owned(), marks.join(",")]);
    }
    let arguments = around.process.arguments.iter().skip(1).cloned();
    let arguments: Vec<OsString> = arguments.chain(more.into_iter().map(OsString::from)).collect();
    let (Some(program), Some(directory)) = (&around.program, &around.process.cwd) else { return false };
    let mut command = Command::new(Program::exec(program, arguments), directory).channel(lock);
    for (name, value) in &around.process.vars {
        command = command.env(name, value);
    }
    let Ok(stdin) = file_of(input) else { return false };
    let Ok(id) = start_detached(&command, stdin.into()) else { return false };
    // Without its id, it ends with the last of its hooks.
    let _ = process.started(id);
    true
}

/// Not supported on this platform: the hooks run in this process.
#[cfg(not(unix))]
fn is_started(_: &[u64], _: &[Event], _: &[u8], _: &Session, _: &Surroundings) -> bool {
    false
}

/// Ends the processes of earlier events if the session ends: those that still run after the budget of its hooks (A5).
#[cfg(unix)]
pub(super) async fn end_with_session(
    engine: &Engine,
    events: &[Event],
    session: &Session,
    cancel: &CancellationToken,
) {
    if let Some(event) = events.iter().find(|event| event.kind() == EventKind::SessionEnd) {
        let budget = engine.host().session_end_budget(&event.session);
        becket_fire::detached_process::end(session, &event.session.id, budget, cancel).await;
    }
}

/// Not supported on this platform: there are no such processes.
#[cfg(not(unix))]
pub(super) async fn end_with_session(_: &Engine, _: &[Event], _: &Session, _: &CancellationToken) {}

/// Creates an unnamed file that contains the input.
#[cfg(unix)]
fn file_of(input: &[u8]) -> std::io::Result<std::fs::File> {
    use std::io::{Seek, Write};
    let mut file = tempfile::tempfile()?;
    file.write_all(input)?;
    file.rewind()?;
    Ok(file)
}

/// Returns the marks of the events around the process that was started for an event.
pub(super) fn enclosing_marks(args: &FireArgs) -> Vec<String> {
    if args.detached.is_empty() { enclosing::marks() } else { args.enclosing.clone() }
}
