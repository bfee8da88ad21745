//! `becket profile`: the time that hooks take.

use crate::args::{Global, ProfileArgs};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::recording;
use crate::report::human;
use crate::session::{self, Session};
use becket_engine::config::{HookBudget, load, resolve};
use becket_lab::profile::{self, Profile, ProfileReport};
use becket_lab::transcript;
use std::fs;
use std::path::{Path, PathBuf};

/// Shows the records of a project or of transcripts. Exits with 1 if a hook is over its budget.
pub(crate) fn run(args: &ProfileArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let session = session::in_project(global, around, out)?;
    let mut counted = Profile::default();
    if args.transcripts.is_empty() {
        for file in files(args, &session, around)? {
            counted.read(&file).map_err(|error| CliError::lab(&error))?;
        }
    }
    for path in args.transcripts.iter().map(|path| around.absolute(path)) {
        for file in transcript::find(&path).map_err(|why| CliError::unread(&path, &why))? {
            counted.read_transcript(&file).map_err(|error| CliError::lab(&error))?;
        }
    }
    let report = counted.report(&budget(args, &session));
    if let Some(file) = &args.html {
        let page = profile::page(&report).map_err(std::io::Error::other)?;
        write(&around.absolute(file), &page)?;
    }
    if let Some(file) = &args.trace {
        write(&around.absolute(file), &profile::trace(&report).to_string())?;
    }
    show(&report, global, around, out)?;
    if report.runs == 0 {
        return Err(CliError::NoTimes);
    }
    Ok(u8::from(report.hooks.iter().any(|hook| hook.over_budget)))
}

/// Returns the budget of the arguments, otherwise that of the settings.
fn budget(args: &ProfileArgs, session: &Session) -> HookBudget {
    match args.budget {
        Some(limit) => HookBudget { all: Some(limit), ..HookBudget::default() },
        None => {
            let request = session.request();
            resolve(&load(&request)).policy.hook_budget
        }
    }
}

fn show(report: &ProfileReport, global: &Global, around: &Surroundings, out: &Out) -> Result<(), CliError> {
    if global.json {
        out.print_json(report)?;
    } else {
        out.print(&human::profiled::render(report, around))?;
    }
    Ok(())
}

/// Returns the logs that the arguments name, all logs, or that of the project.
fn files(args: &ProfileArgs, session: &Session, around: &Surroundings) -> Result<Vec<PathBuf>, CliError> {
    if !args.files.is_empty() {
        return Ok(args.files.iter().map(|file| around.absolute(file)).collect());
    }
    let project = session.project.as_deref().unwrap_or(&session.start);
    let Some((directory, log)) = recording::log_of(project, around) else {
        return Err(CliError::NoRecords { project: project.to_owned() });
    };
    let found = if args.all { logs_in(&directory) } else { vec![log] };
    let found: Vec<PathBuf> = found.into_iter().filter(|log| log.is_file()).collect();
    if found.is_empty() { Err(CliError::NoRecords { project: project.to_owned() }) } else { Ok(found) }
}

/// Returns the logs of all projects; a log that was renamed is read with its successor.
fn logs_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_log = |name: &str| name.ends_with(".jsonl") && !name.ends_with(".1.jsonl");
    let mut logs: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.to_str().is_some_and(is_log)).collect();
    logs.sort();
    logs
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    fs::write(path, text).map_err(|why| CliError::Write { path: path.to_owned(), why })
}
