//! Lints on what a command prints: literal answers that are misread, texts that reach nobody, a missing path.

use super::Entry;
use super::commands::asks;
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use becket_model::EventKind;
use becket_model::interpret::{self, HandlerOutput, OutputOrigin};
use becket_model::table::PlainStdout;
use becket_rules::shell::{Command, Line};

pub(super) fn lint(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    if entry.event == EventKind::WorktreeCreate {
        worktree_path(line, entry, report);
        return;
    }
    for (command, literal) in printed_literals(text, line) {
        let at = report.part_of(entry.handler.action_span, text, command.raw());
        if asks(&literal) {
            continue;
        }
        if literal.trim_start().starts_with('{') {
            answer(&literal, entry, at, report);
        } else {
            unread_text(&literal, entry, at, report);
        }
    }
}

/// The literal texts that a line writes to its own stdout, each with the command that writes it.
fn printed_literals<'l>(text: &str, line: &'l Line) -> Vec<(&'l Command, String)> {
    // A redirection may be that of any command, and `$( )` collects what is printed inside.
    if !line.redirections().is_empty() || text.contains("$(") || text.contains('`') {
        return Vec::new();
    }
    let own = line.commands().iter().filter(|command| command.via().is_none());
    own.filter(|command| !goes_elsewhere(text, command))
        .filter_map(|command| Some((command, literal(command)?)))
        .collect()
}

/// Returns whether a pipe, stderr or `/dev/null` receives the output of a command.
fn goes_elsewhere(text: &str, command: &Command) -> bool {
    let Some((_, after)) = text.split_once(command.raw()) else { return true };
    let after = after.trim_start();
    after.starts_with(['>', '&']) && !after.starts_with("&&")
        || after.starts_with('|') && !after.starts_with("||")
        || ["1>", "2>"].iter().any(|start| after.starts_with(start))
}

/// The text that `echo` or `printf` prints if it is known.
fn literal(command: &Command) -> Option<String> {
    let words: Option<Vec<&str>> = command.words().collect();
    match words?.as_slice() {
        ["echo", "-n" | "-e", rest @ ..] | ["echo", rest @ ..] if !rest.is_empty() => Some(rest.join(" ")),
        ["printf", "%s" | "%s\\n", text] => Some((*text).to_owned()),
        ["printf", format] if !format.contains('%') => Some(format.replace("\\n", "\n")),
        _ => None,
    }
}

/// A literal JSON answer, interpreted as a session would (O1, O5–O7).
fn answer(literal: &str, entry: &Entry, at: Span, report: &mut Report<'_>) {
    let spec = entry.event.spec();
    let printed =
        HandlerOutput { stdout: literal.as_bytes(), ..HandlerOutput::nothing(OutputOrigin::Command) };
    let taken = interpret::printed(spec, &printed);
    if let Some(failure) = &taken.failure {
        let message = format!("this answer is not understood on `{}`: {failure}", entry.event);
        report
            .warning(at, "answer-not-understood", message)
            .help(format!("`becket check-output {}` shows how an output is interpreted", entry.event))
            .rule("O5");
    } else if let Some(field) = taken.unknown_fields.first() {
        let message = format!("`{}` hooks have no output field `{field}`: it has no effect", entry.event);
        let help = format!("`becket events {}` lists the fields that count", entry.event);
        report.warning(at, "answer-without-effect", message).help(help).rule("O5");
    } else if let Some(warning) = taken.warnings.first() {
        report.warning(at, "answer-without-effect", warning.clone()).rule("O7");
    }
}

/// A reminder that is only logged (O2).
fn unread_text(literal: &str, entry: &Entry, at: Span, report: &mut Report<'_>) {
    let spec = entry.event.spec();
    let is_addressed = literal.contains(char::is_whitespace);
    if spec.plain_stdout != PlainStdout::Log || !is_addressed {
        return;
    }
    let message = format!(
        "plain text on stdout is only logged on `{}`: neither the model nor the user sees it",
        entry.event
    );
    let help = if spec.exit_2.effect.blocks() {
        "to tell the model, write it to stderr and end with `exit 2`; to tell the user, print `{\"systemMessage\": \"…\"}`"
    } else {
        "to tell the user, print `{\"systemMessage\": \"…\"}`"
    };
    report.note(at, "text-not-shown", message).help(help).rule("O2");
}

/// A WorktreeCreate hook replaces git's own worktree, so it has to print a path (O1).
fn worktree_path(line: &Line, entry: &Entry, report: &mut Report<'_>) {
    const SILENT: [&str; 6] = ["cd", "mkdir", "cp", "ln", "npm", "touch"];
    let is_silent =
        |command: &Command| command.words().next().flatten().is_some_and(|program| SILENT.contains(&program));
    let at = entry.handler.action_span;
    if !line.commands().is_empty() && line.commands().iter().all(is_silent) {
        let message = "a `WorktreeCreate` hook replaces git's worktree and must print its path; this one prints nothing";
        report.error(at, "no-worktree-path", message).help("end with `echo \"$path\"`").rule("O1");
    } else {
        let message =
            "a `WorktreeCreate` hook replaces git's worktree: it must create one and print its path";
        report
            .note(at, "replaces-worktree", message)
            .help("to react to a worktree that git has created, use another event")
            .rule("O1");
    }
}
