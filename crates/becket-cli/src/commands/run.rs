//! `becket run`: an agent works on a prompt, under the hooks and rules of the configuration.
//!
//! INVARIANT: however the work ends, SessionEnd is fired if a session was opened, and no started process is left when
//! this one ends, except after a second signal.

mod begins;
mod build;
mod context;
mod control;
mod drive;
mod driver;
mod end_tasks;
mod hosted;
mod init;
mod interactive;
mod job;
mod last_fired;
mod limits;
mod memory;
mod model_settings;
mod options;
mod permission_tool;
mod printer;
mod prompts;
mod servers;
mod session;
mod shutdown;
mod stdout_watch;
mod task_ends;
mod team;
mod terminal;
#[cfg(test)]
mod tests;
mod typed;

use super::keep;
use crate::args::{Global, RunArgs};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::interrupt::{Caught, SignalRuntime};
use crate::out::Out;
use crate::project;
use crate::report::style::{WARNING, plain, styled};
use crate::services::RunModels;
use crate::session::{Session, launched};
use becket_base::text_file;
use becket_engine::CancellationToken;
use becket_engine::config::FlagPermissions;
use becket_model::EventKind;
use context::RunContext;
use control::{Host, Lines, ReplyOptions, SessionStates, Shutdown};
use job::Job;
use options::{Output, RunOptions};
use printer::Printer;
use prompts::Prompts;
use shutdown::RunProcesses;
use std::path::Path;
use std::sync::Arc;
use terminal::{Terminal, View};

/// Works on the prompts; the exit code depends on the result.
pub(crate) fn run(args: &RunArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let options = RunOptions::new(args, global, around)?;
    let session = Session { sources: options.sources, ..launched(global, around)? };
    let args = &with_prompt_file(args, &session.start)?;
    let permissions = permissions(args, &session.start)?;
    let session = Session { permissions, ..session };
    let cancel = CancellationToken::new();
    // A session that can't be opened must not ask about trust.
    let models = Arc::new(RunModels::new(&args.model, &session.start, around)?);
    let screen = terminal::opened(options.output, &session, around, out, &cancel);
    let terminal = screen.as_ref().map(|(terminal, _)| terminal);
    let session = with_trust(session, args, terminal)?;
    warn_of_muted(args, out);
    note_parent(&session, out);
    let debug = args.format.debug_file.as_ref().map(|file| printer::debug_file(&session.start.join(file)));
    let debug = debug.transpose()?;
    let caught = Caught::default();
    let once = Prompts::once(&options.prompts, &options.without_prompt)?;
    if let Some(Prompts::OfHooks(nothing)) = &once
        && !may_start_with_a_prompt(&session)
    {
        return Err(CliError::usage(nothing));
    }
    // From here on, the run creates things that its end removes or completes: a signal only cancels it.
    let signals = SignalRuntime::start(&cancel, &caught)?;
    // Started before everything else, and kept until the end.
    let private = around.process.temp.join(format!("becket-run-{}", uuid::Uuid::new_v4()));
    let _guard = keep::guarded(&private, around, out);
    let view = terminal.map(|terminal| View::new(terminal.clone(), options.output, out));
    let places = printer::Destinations::new(around, out, debug, &cancel)
        .with_debug_on_stderr(args.format.debug_to_stderr)
        .with_view(view);
    let (printer, writing) = printer::start(options.output, places);
    let job = Job::of(around, &session.start, &printer);
    let left = RunProcesses::default();
    let (host, wants) = (None, None);
    let at = RunContext {
        args,
        session: &session,
        around,
        out,
        output: options.output,
        cancel: &cancel,
        left: &left,
        private: &private,
        job: &job,
        host,
        wants,
        terminal,
    };
    let prompts = match (once, options.prompts, terminal) {
        (Some(prompts), ..) => prompts,
        (None, options::Prompts::Typed { first }, Some(terminal)) => {
            Prompts::Typed { terminal: terminal.clone(), first }
        }
        (None, ..) => lines(at, &printer, Shutdown { cancel: cancel.clone(), caught: caught.clone() }),
    };
    let done = signals.until_done(drive::drive(at, models, prompts, printer.clone()));
    left.wait();
    match caught.exit_code() {
        Some(code) => job.ended(&Ok(code)),
        None => job.ended(&done),
    }
    printer.end();
    // Output that could not be written is worse than an earlier error; a signal takes precedence over both.
    let written = writing.end();
    caught.exit_code().map_or_else(|| done.and_then(|code| written.map(|()| code)), Ok)
}

/// Mentions the project above the directory, whose settings a session does not read.
fn note_parent(session: &Session, out: &Out) {
    if let Some(parent) = project::parent(&session.start, &session.request()) {
        let why = project::not_read_by_sessions(&parent, &session.request());
        out.eprint(&format!("{} {}\n", styled(WARNING, "note:"), plain(&why)));
    }
}

/// Returns the prompts that a program writes to stdin, a line each.
fn lines(at: RunContext<'_>, printer: &Printer, ending: Shutdown) -> Prompts {
    let answering = ReplyOptions {
        controls: matches!(at.output, Output::Stream(_)),
        replays: at.args.format.replay_user_messages,
    };
    let host = Host::new(printer.clone(), SessionStates::of(at.around, printer));
    Prompts::Lines(Lines::open(host, answering, ending))
}

/// Returns true if a SessionStart hook may provide the first prompt.
fn may_start_with_a_prompt(session: &Session) -> bool {
    let engine = session.builder(false).build();
    engine.is_ok_and(|engine| engine.host().hooks().has_any(EventKind::SessionStart))
}

/// Warns about arguments that are accepted without effect.
fn warn_of_muted(args: &RunArgs, out: &Out) {
    for name in args.sdk.mute.present() {
        out.eprint(&format!("{} `{name}` has no effect here\n", styled(WARNING, "warning:")));
    }
}

/// Decides whether the folder is trusted; asks a user at a terminal.
///
/// # Errors
/// Errors if the user does not trust it: then nothing may run.
fn with_trust(session: Session, args: &RunArgs, terminal: Option<&Terminal>) -> Result<Session, CliError> {
    let is_known =
        args.permissions.trust_project || becket_engine::config::trust::is_recorded(&session.request());
    if let Some(terminal) = terminal.filter(|_| !is_known) {
        terminal::is_trusted(terminal, &session)?;
    }
    Ok(Session { folder_trusted: is_known || terminal.is_some(), ..session })
}

/// Replaces the system prompt by the content of the named file.
fn with_prompt_file(args: &RunArgs, start: &Path) -> Result<RunArgs, CliError> {
    let mut args = args.clone();
    if let Some(file) = &args.sdk.system_prompt_file {
        args.model.system_prompt = Some(text_file::read(&start.join(file))?);
    }
    Ok(args)
}

/// Returns the permission rules of the command line.
fn permissions(args: &RunArgs, start: &Path) -> Result<FlagPermissions, CliError> {
    let of = &args.permissions;
    let mut permissions = FlagPermissions::default();
    for rules in &of.allowed_tools {
        permissions.allow_tools(rules).map_err(CliError::usage)?;
    }
    for rules in &of.disallowed_tools {
        permissions.disallow_tools(rules).map_err(CliError::usage)?;
    }
    for directory in &of.add_dir {
        permissions.add_directory(directory, start).map_err(CliError::usage)?;
    }
    if let Some(mode) = &of.permission_mode {
        permissions.start_in(mode).map_err(CliError::usage)?;
    }
    if of.dangerously_skip_permissions {
        permissions.skip_permissions();
    }
    if args.sdk.allow_dangerously_skip_permissions {
        permissions.allow_skipping();
    }
    Ok(permissions)
}
