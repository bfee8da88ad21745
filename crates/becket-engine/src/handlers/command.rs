//! Runs a command handler: its input, its time limit, and the meaning of its end (H2–H4, H12).

mod command_key;
mod containment;
mod running;
mod standbys;
mod worker;

pub(crate) use standbys::Standbys;
pub(crate) use worker::Workers;

use crate::background::{Adoption, BackgroundEnd};
use crate::config::handler::{Background, Command, Handler};
use crate::config::nesting;
use crate::config::placeholders::FilledCommand;
use crate::config::text_shell::{PathStyle, TextShell};
use crate::handlers::command::running::{InBackground, RunningCommand, WaitResult};
use crate::handlers::command::standbys::Candidate;
use crate::handlers::context::HandlerContext;
use crate::handlers::interceptor::RunEnd;
use crate::host::private_files::RunDirectory;
use crate::host::questions::SplitOutput;
use crate::host::questions::answer::AnsweredQuestion;
use crate::host::questions::split_output;
use crate::plan::variables;
use crate::report::handler_result::{HandlerResult, cannot_start, exit_of};
use crate::report::outcome::OutputSizes;
use becket_base::private_file;
use becket_model::Failure;
use becket_model::interpret::{self, Announcement, Interpretation, OutputOrigin};
use becket_model::table::DecisionModel;
use becket_process as process;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The number of times that a command is started if its directory disappears between a check and the start: other hooks
/// run at the same time. Each start resolves the directory again (H3).
const STARTS: u32 = 5;

/// The warning about a command that must not outlast its event.
const STAYS: &str =
    "it did not go on in the background: its `onFailure` is `block`, so the event waits for its answer";

/// Runs the command to its end, its deadline, the event's cancellation, or into the background.
pub(crate) async fn run(
    context: &HandlerContext<'_>,
    handler: &Arc<Handler>,
    command: &Command,
) -> HandlerResult {
    let mut starts = 1;
    loop {
        let prepared = match prepare(context, handler, command) {
            Ok(prepared) => prepared,
            Err(failure) => return HandlerResult::without_process(interpret::failed(failure)),
        };
        let (mut ran, lost) = started(context, handler, prepared).await;
        if !lost || starts == STARTS {
            if has_failed_itself(&ran) {
                ran.interpretation.warnings.extend(containment::hint(&context.snapshot.config, handler));
            }
            return ran;
        }
        starts += 1;
    }
}

/// Returns whether the command itself has failed, and was not cancelled or prevented from running.
fn has_failed_itself(ran: &HandlerResult) -> bool {
    let of_others = |failure: &Failure| matches!(failure, Failure::Cancelled | Failure::NotContained { .. });
    ran.interpretation.failure.as_ref().is_some_and(|failure| !of_others(failure))
}

/// Starts the command; the flag is set if there was no directory to start it in, and nothing has run.
async fn started(
    context: &HandlerContext<'_>,
    handler: &Arc<Handler>,
    prepared: PreparedCommand,
) -> (HandlerResult, bool) {
    if worker::takes(context, handler) {
        return (worker::run(context, handler, prepared).await, false);
    }
    let limit = context.limit_of(handler);
    let candidate = Candidate::of(context, handler, &prepared);
    let standbys = &context.engine.standbys;
    // A cancelled event starts nothing, and releases nothing.
    let wanted = candidate.as_ref().filter(|_| !context.cancel.is_cancelled());
    let standby = wanted.and_then(|candidate| standbys.take(candidate, &prepared.command.stdin));
    let was_ahead = standby.is_some();
    let mut running = RunningCommand::new(context, handler, prepared, standby, limit);
    if handler.background != Background::No {
        if context.cancel.is_cancelled() {
            return (HandlerResult::without_process(interpret::failed(Failure::Cancelled)), false);
        }
        return (
            move_to_background(
                context,
                handler,
                running.into_background(),
                BackgroundStart::Configured(limit),
            ),
            false,
        );
    }
    match running.wait(context.cancel).await {
        WaitResult::Over(result) => {
            if let (Some(candidate), Ok(finished)) = (candidate, &result) {
                standbys.ran(candidate, finished.elapsed, was_ahead);
            }
            let lost = result.as_ref().is_err_and(may_be_its_directory);
            let questions = running.questions();
            let mut ran = intercepted(context, handler, result, limit);
            ran.interpretation.warnings.extend(questions.iter().filter_map(AnsweredQuestion::warning));
            (HandlerResult { questions, ..ran }, lost)
        }
        WaitResult::GoesOn(announcement, over) => {
            let questions = running.questions();
            let leave = BackgroundStart::Announced(announcement, over);
            (
                HandlerResult {
                    questions,
                    ..move_to_background(context, handler, running.into_background(), leave)
                },
                false,
            )
        }
    }
}

/// Returns whether a start may have failed because of the directory alone. If the directory exists again by the time
/// that the reason is determined, the system's error reads as one about the program; then a second start fails like the
/// first one, or succeeds.
fn may_be_its_directory(error: &process::SpawnError) -> bool {
    use process::SpawnError::{BadInterpreter, CwdForbidden, CwdGone, LoaderMissing};
    matches!(error, CwdGone { .. } | CwdForbidden { .. } | LoaderMissing { .. } | BadInterpreter { .. })
}

/// The way in which a run goes to the background.
enum BackgroundStart {
    /// By its configuration (A1, A4), with its limit.
    Configured(Duration),
    /// By its first line (A2); it may have ended since.
    Announced(Announcement, Option<Result<process::FinishedRun, process::SpawnError>>),
}

/// Continues the event without the run, which decides nothing any more.
fn move_to_background(
    context: &HandlerContext<'_>,
    handler: &Arc<Handler>,
    run: InBackground,
    leave: BackgroundStart,
) -> HandlerResult {
    let InBackground { future, cancel, control } = run;
    let (limit, already_running, over) = match leave {
        BackgroundStart::Configured(limit) => (limit, false, None),
        BackgroundStart::Announced(announcement, over) => {
            control.limit_from_now(announcement.limit);
            (announcement.limit, true, over)
        }
    };
    let adopted = Adoption {
        session: context.event.session.id.clone(),
        firing: context.number,
        handler: handler.clone(),
        limit,
        rewake: handler.background == Background::AsyncRewake,
        cancel,
        already_running,
    };
    let id = context.engine.background.adopt(adopted, move || {
        Box::pin(async move {
            // Kept alive, so that the limit set above remains in force.
            let _control = control;
            let finished = match over {
                Some(over) => over,
                None => future.await,
            };
            BackgroundEnd::of(finished, limit)
        })
    });
    HandlerResult { background: Some(id), ..HandlerResult::without_process(Interpretation::default()) }
}

/// Converts the end of a command that the event waited for, after the host's interceptor.
fn intercepted(
    context: &HandlerContext<'_>,
    handler: &Handler,
    result: Result<process::FinishedRun, process::SpawnError>,
    limit: Duration,
) -> HandlerResult {
    let end = || RunEnd::of(&result, cannot_start);
    match context.intercepted(handler, |interceptor, run| Some(interceptor.ended(run, end()))) {
        Some(end) => replaced(context, handler, end),
        None => of(context, handler, result.map_err(|error| cannot_start(&error)), limit),
    }
}

/// Converts an end that replaces the one of a command.
pub(crate) fn replaced(context: &HandlerContext<'_>, handler: &Handler, end: RunEnd) -> HandlerResult {
    of(context, handler, end.finished(), context.limit_of(handler))
}

/// Converts the end of a command.
fn of(
    context: &HandlerContext<'_>,
    handler: &Handler,
    result: Result<process::FinishedRun, Failure>,
    limit: Duration,
) -> HandlerResult {
    let finished = match result {
        Ok(finished) => finished,
        Err(failure) => return HandlerResult::without_process(interpret::failed(failure)),
    };
    let (taken, exit) = match exit_of(finished.end, limit) {
        Ok(exit) => (read(context, handler, exit, &finished), Some(exit)),
        Err(failure) => (interpret::failed(failure), None),
    };
    let printed = OutputSizes::of(&finished);
    let (stdout, stderr) = (finished.stdout.bytes, finished.stderr.bytes);
    HandlerResult { exit, stdout, stderr, printed, ..HandlerResult::without_process(taken) }
}

/// Interprets the output of a command that exited. Questions are not part of it (Q1); a question without permission is
/// a failure in addition to the decision.
fn read(
    context: &HandlerContext<'_>,
    handler: &Handler,
    exit: i32,
    finished: &process::FinishedRun,
) -> Interpretation {
    let spec = context.event.kind().spec();
    let apart = match spec.decision {
        // A worktree's stdout is a path and nothing else (O1).
        DecisionModel::Path => None,
        DecisionModel::None
        | DecisionModel::Context
        | DecisionModel::Permission
        | DecisionModel::PermissionRequest
        | DecisionModel::Block
        | DecisionModel::Retry
        | DecisionModel::Task
        | DecisionModel::ContinueOnly
        | DecisionModel::Display
        | DecisionModel::Elicitation => Some(split_output(&finished.stdout.bytes)),
    };
    let rest = apart.as_ref().map_or(&finished.stdout.bytes, |apart| &apart.rest);
    let output = interpret::HandlerOutput {
        exit,
        stdout: rest,
        lost: finished.stdout.total - finished.stdout.bytes.len() as u64,
        stderr: &finished.stderr.bytes,
        by: OutputOrigin::Command,
        on_failure: context.on_failure(handler),
    };
    let mut taken = interpret::printed(spec, &output);
    let stays = context.must_answer(handler) && !context.waits_for_async();
    if stays && interpret::announcement(rest).is_some() {
        taken.warnings.push(STAYS.to_owned());
    }
    let question = apart.as_ref().and_then(SplitOutput::first_question).filter(|_| !handler.questions);
    // A plain exit code most often results from that question.
    if let (Some(id), None | Some(Failure::PlainError { .. })) = (question, &taken.failure) {
        taken.failure = Some(Failure::QuestionNotAsked { id: id.to_owned() });
    }
    taken
}

fn prepare(
    context: &HandlerContext<'_>,
    handler: &Handler,
    command: &Command,
) -> Result<PreparedCommand, Failure> {
    let places = &context.snapshot.places;
    let shell = TextShell::of(command, &context.engine.environment, &places.profile)?;
    let style = shell.as_ref().map_or(PathStyle::Native, TextShell::style);
    let filled = places
        .fill(handler, command, style)
        .map_err(|error| Failure::CannotStart { message: error.to_string() })?;
    let program = match (filled, shell) {
        (FilledCommand::Shell { script, .. }, Some(shell)) => shell.program(script),
        (FilledCommand::Shell { script, .. }, None) => process::Program::shell(script),
        (FilledCommand::Exec { program, args }, _) => process::Program::exec(program, args),
    };
    if let Some(data) = handler.root.as_deref().and_then(|root| root.data.as_deref()) {
        // A guard that finds no directory is stricter than one that does not run (C9).
        drop(private_file::create_dir(data));
    }
    let mut env = variables::of_handler(context.snapshot, context.event, handler, style);
    env.push((nesting::VARIABLE.into(), context.mark_for(handler).into()));
    // A text for PowerShell has none (H12).
    let file = if style == PathStyle::PowerShell { None } else { context.env_file(handler)? };
    let containment = containment::of(context, handler, file.as_deref())?;
    if let Some(containment) = &containment {
        env.retain(|(name, _)| name != "TMPDIR");
        env.push(("TMPDIR".into(), containment.temporary.path().into()));
    }
    if let Some(file) = file {
        env.push((places.profile.var("ENV_FILE").into(), variables::written(file, style)));
    }
    let more = context.intercepted(handler, |interceptor, run| Some(interceptor.variables(run)));
    for (name, value) in more.unwrap_or_default() {
        env.retain(|(own, _)| *own != name);
        env.push((name, value));
    }
    let cwd = working_directory(&context.event.session.cwd, &places.project_dir);
    let stdin = context.intercepted(handler, |interceptor, run| interceptor.stdin(run));
    let stdin = stdin.unwrap_or_else(|| context.stdin());
    let (confinement, temporary) =
        containment.map(|contained| (contained.confinement, contained.temporary)).unzip();
    let command = process::Command { env, confinement, ..process::Command::new(program, cwd).stdin(stdin) };
    Ok(PreparedCommand { command, temporary })
}

/// A command that is ready to be started.
struct PreparedCommand {
    command: process::Command,
    /// A private directory, if the command is contained.
    temporary: Option<RunDirectory>,
}

/// Returns the session's directory; the project's if that is gone (H3), and the root if that is gone, too: a guard that
/// reads its input from stdin can still answer there.
fn working_directory(cwd: &Path, project_dir: &Path) -> PathBuf {
    let root = project_dir.ancestors().last().unwrap_or(project_dir);
    let found = [cwd, project_dir].into_iter().find(|dir| can_be_entered(dir));
    found.unwrap_or(root).to_path_buf()
}

#[cfg(unix)]
fn can_be_entered(dir: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    dir.is_dir() && accessat(CWD, dir, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

#[cfg(not(unix))]
fn can_be_entered(dir: &Path) -> bool {
    dir.is_dir()
}
