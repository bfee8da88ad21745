//! Harmless commands of a line whose other commands only an allow rule lets run: `npm test | tail -5`.
//!
//! Rules decide about the others. What they do is unknown, so a harmless command must not depend on it, nor they on it:
//! - the others are programs: what the shell itself runs (`export`, `alias`, `source`, `cd`) may change the meaning of
//!   the rest of the line;
//! - from the first of them on, the others may have replaced any file in the working directories. A command that runs
//!   after one, or beside it in a pipeline, names no file, and its program is outside the working directories;
//! - nothing harmless feeds another command: a rule for an interpreter is not one for any program in its input;
//! - a `cd` comes first, and the others are neither `git`, which reads the configuration of the repository that it
//!   finds, nor given by a relative path;
//! - the line has no background command, and no redirection of a file.

use super::command::Judge;
use super::flat::{flat, is_looked_through};
use super::line::with_judge;
use super::words::Words;
use crate::surroundings::Surroundings;
use becket_model::Session;
use becket_rules::shell::{Argument, Command, CommandList, Line, Stage, is_shell_word};

/// Returns the commands of a line that need no rule beside those that have one, by their indices in
/// [`Line::commands`]; none if there is nothing but harmless commands, which the mode judges.
pub(crate) fn harmless_commands(line: &Line, host: &Surroundings, session: &Session) -> Vec<usize> {
    with_judge(line, host, session, |judge| harmless(line, judge)).unwrap_or_default()
}

/// One command of the line itself.
struct Part<'a> {
    /// Its index in the line.
    index: usize,
    command: &'a Command,
    /// The number of its pipeline.
    pipeline: usize,
    is_harmless: bool,
}

fn harmless(line: &Line, judge: &mut Judge<'_>) -> Option<Vec<usize>> {
    let (commands, inputs) = flat(line, Command::is_subcommand)?;
    let mut parts = parts(line, &commands)?;
    if !inputs.is_empty() {
        return None;
    }
    let moves = moves(&parts, judge)?;
    for (at, part) in parts.iter_mut().enumerate() {
        let is_read_only = || Words::of(part.command).is_some_and(|words| judge.is_read_only(&words));
        part.is_harmless = !has_inner_commands(line, part.index) && (at == 0 && moves || is_read_only());
    }
    if let Some(first) = parts.iter().find(|part| !part.is_harmless).map(|part| part.pipeline) {
        for part in parts.iter_mut().filter(|part| part.is_harmless && part.pipeline >= first) {
            part.is_harmless = Words::of(part.command).is_some_and(|words| judge.reads_no_file(&words));
        }
    }
    for at in (1..parts.len()).rev() {
        let feeds_ruled = !parts[at].is_harmless && parts[at - 1].pipeline == parts[at].pipeline;
        parts[at - 1].is_harmless &= !feeds_ruled;
    }
    let mut ruled = parts.iter().filter(|part| !part.is_harmless).peekable();
    ruled.peek()?;
    let suits =
        ruled.all(|part| is_program(part.command, judge) && !(moves && depends_on_place(part.command)));
    suits.then(|| parts.iter().filter(|part| part.is_harmless).map(|part| part.index).collect())
}

/// Returns the commands with their pipelines; `None` if the line has other parts, or does not wait for a command.
fn parts<'a>(line: &'a Line, commands: &[&'a Command]) -> Option<Vec<Part<'a>>> {
    let list = CommandList::parse(line.text())?;
    let pipelines = list.chains.iter().flat_map(|chain| &chain.pipelines);
    let is_plain = list.chains.iter().all(|chain| !chain.is_background)
        && pipelines.clone().flat_map(|pipeline| &pipeline.stages).all(|stage| match stage {
            Stage::Simple(words) => !words.is_empty(),
            Stage::Test { .. } | Stage::Compound(_) | Stage::Deferred(_) => false,
        });
    let numbers: Vec<usize> = pipelines
        .enumerate()
        .flat_map(|(number, pipeline)| std::iter::repeat_n(number, pipeline.stages.len()))
        .collect();
    let own = line.commands().iter().enumerate().filter(|(_, command)| command.is_subcommand());
    (is_plain && numbers.len() == commands.len()).then(|| {
        let part = |((index, command), pipeline)| Part { index, command, pipeline, is_harmless: false };
        own.zip(numbers).map(part).collect()
    })
}

/// Returns whether a `cd` begins the line, after which the line may be in either directory; `None` for one that leads
/// elsewhere.
fn moves(parts: &[Part<'_>], judge: &mut Judge<'_>) -> Option<bool> {
    let words = parts.first().and_then(|part| Words::of(part.command));
    match words.as_ref().and_then(Words::directory) {
        Some(target) => judge.change(target).then_some(true),
        None => Some(false),
    }
}

/// Returns whether the analysis found commands inside of the command, in a wrapper or in the text of a program.
fn has_inner_commands(line: &Line, index: usize) -> bool {
    let inner = line.commands().iter().skip(index + 1).take_while(|command| !command.is_subcommand());
    inner.into_iter().any(|command| !is_looked_through(command))
}

/// Returns whether a command runs a program, which can't change the state of the shell.
fn is_program(command: &Command, judge: &Judge<'_>) -> bool {
    match command.arguments().next() {
        Some(Argument::Literal(name)) => !name.starts_with('%') && !is_shell_word(name) && judge.leaves(name),
        Some(Argument::Glob(_) | Argument::Variable(_) | Argument::Unknown) | None => false,
    }
}

/// Returns whether a command means another program in another directory.
fn depends_on_place(command: &Command) -> bool {
    command.arguments().enumerate().any(|(at, argument)| match argument {
        Argument::Literal(word) => {
            let is_relative = at == 0 && word.contains('/') && !word.starts_with('/');
            is_relative || word.rsplit('/').next() == Some("git")
        }
        Argument::Glob(_) | Argument::Variable(_) | Argument::Unknown => false,
    })
}
