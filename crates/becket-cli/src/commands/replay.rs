//! `becket replay`: what the hooks and rules of a project would have decided about past sessions.

use crate::args::{Global, ReplayArgs};
use crate::commands::test::subject;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::on_threads::until_done_on_threads;
use crate::out::Out;
use crate::report::human;
use crate::report::style::plain;
use crate::session;
use crate::transcripts;
use becket_base::text_file;
use becket_engine::CancellationToken;
use becket_fire::FiringError;
use becket_lab::replay::{self, Replay, ReplayProgress, ReplayResult, Scratch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

/// Replays transcripts and shows which decisions differ. Exits with 1 if any does.
pub(crate) fn run(args: &ReplayArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    // For `replay`, the option replaces the settings of the project, instead of adding to them.
    let new_settings = global.settings.as_deref().map(|given| text_of(given, around)).transpose()?;
    if args.bisect && new_settings.is_none() {
        return Err(CliError::usage(
            "`--bisect` compares two configurations: name the new one with `--settings FILE`",
        ));
    }
    let session = session::in_project(&Global { settings: None, ..global.clone() }, around, out)?;
    let root = session.project.as_deref().unwrap_or(&session.start).to_owned();
    let transcripts = transcripts::find(&args.paths, &session, &root, around)?;
    let jobs = args.jobs.map_or_else(|| 2 * available_parallelism().map_or(1, usize::from), usize::from);
    let replay = Replay {
        subject: subject(&session, &root),
        new_settings,
        bisects: args.bisect,
        jobs,
        secrets: transcripts::secrets(around),
        named: args.paths.iter().map(|path| around.absolute(path)).collect(),
        transcripts,
    };
    let scratch = Scratch::create(&replay.subject).map_err(|error| CliError::lab(&error))?;
    let mut replayed = replayed(&replay, &scratch, args, around)?;
    replayed.report.confined = !args.unconfined;
    let kept = keep(args, &replayed, &root.join(&replay.subject.settings).join("tests"))?;
    if global.json {
        out.print_json(&replayed.report)?;
    } else {
        out.print(&human::replayed::render(&replayed.report, around))?;
    }
    if let Some(kept) = kept {
        let (file, most) = (around.short(&kept), replayed.cases.len().min(args.keep.unwrap_or_default()));
        out.eprint(&format!("kept {most} of {} cases in {}\n", replayed.cases.len(), plain(&file)));
    }
    Ok(u8::from(replayed.report.has_findings()))
}

/// Runs the replay with a progress display, confined unless the user opts out.
fn replayed(
    replay: &Replay,
    scratch: &Scratch,
    args: &ReplayArgs,
    around: &Surroundings,
) -> Result<ReplayResult, CliError> {
    let bar = progress_bar(replay, around);
    let cancel = CancellationToken::new();
    let tell = |progress: ReplayProgress| {
        bar.set_position(progress.bytes);
        bar.set_message(progress.events.to_string());
    };
    let work = || {
        until_done_on_threads(&cancel, async {
            let replayed = replay.run(scratch, &cancel, &tell).await;
            if cancel.is_cancelled() {
                return Err(FiringError::Interrupted.into());
            }
            replayed.map_err(|error| CliError::lab(&error))
        })
    };
    let result = if args.unconfined {
        work()
    } else {
        let hint = "`--unconfined` runs them with all rights";
        replay::confined(&scratch.writable(), work)
            .unwrap_or_else(|error| Err(CliError::lab(&format!("nothing was replayed: {error}; {hint}"))))
    };
    bar.finish_and_clear();
    result
}

fn progress_bar(replay: &Replay, around: &Surroundings) -> ProgressBar {
    let sizes = replay.transcripts.iter().filter_map(|path| path.metadata().ok());
    let bar = ProgressBar::new(sizes.map(|found| found.len()).sum());
    let shows = around.terminals.stderr && !around.is_dumb();
    bar.set_draw_target(if shows { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() });
    let plain = ProgressStyle::default_bar();
    let template = "{bar:30} {bytes}/{total_bytes}  {msg} events  {elapsed}, {eta} left";
    bar.with_style(plain.clone().template(template).unwrap_or(plain))
}

fn keep(args: &ReplayArgs, replayed: &ReplayResult, directory: &Path) -> Result<Option<PathBuf>, CliError> {
    let Some(most) = args.keep else { return Ok(None) };
    let written = replayed.cases.write(most, directory);
    written.map_err(|why| CliError::Write { path: directory.to_owned(), why })
}

/// Returns the text of the new settings.
fn text_of(given: &str, around: &Surroundings) -> Result<String, CliError> {
    if given.trim_start().starts_with('{') {
        return Ok(given.to_owned());
    }
    Ok(text_file::read(&around.absolute(Path::new(given)))?)
}
