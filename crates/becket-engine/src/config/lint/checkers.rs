//! Checkers whose findings reach nobody: linters and tests end with 1, and only 2 tells the model (O3, O4).

use super::Entry;
use super::answers::{blanks_joined, is_in_substitution};
use crate::config::source::report::Report;
use becket_model::OnFailure;
use becket_model::table::Exit2Effect;
use becket_rules::shell::{Command, Line};

pub(super) fn lint(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let tells = entry.event.spec().exit_2.effect.blocks() && entry.handler.on_failure == OnFailure::Continue;
    if tells && unread_failure(text, line, entry, report) {
        return;
    }
    let is_handled =
        ["exit 2", "exit $", "exit \"$", "decision", "additionalContext", "|| exit", "|| {", "|| ("]
            .iter()
            .any(|mark| text.contains(mark));
    if !tells || is_handled {
        return;
    }
    let joined = blanks_joined(text);
    let Some(command) = line.commands().iter().find(|command| is_ignored(&joined, command)) else { return };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    let name = command.text();
    let message = format!(
        "the model is not told what `{name}` finds: it ends with 1, which is an error on `{}`",
        entry.event
    );
    report
        .note(at, "checker-tells-nothing", message)
        .help(format!("write `{name} >&2 || exit 2`"))
        .rule("O4");
}

/// Notes a message on stderr in front of `exit 1`, on an event after which the model reads that of 2; returns whether there is
/// one.
fn unread_failure(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) -> bool {
    let is_of_feedback = matches!(entry.event.spec().exit_2.effect, Exit2Effect::Feedback);
    let may_tell = ["exit 2", "exit $", "exit \"$", "\"decision\"", "additionalContext"];
    if !is_of_feedback || !text.contains(">&2") || may_tell.iter().any(|mark| text.contains(mark)) {
        return false;
    }
    let is_failure = |command: &&Command| {
        command.via().is_none() && command.words().collect::<Vec<_>>() == [Some("exit"), Some("1")]
    };
    let Some(command) = line.commands().iter().find(is_failure) else { return false };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    let message = format!(
        "the model is not told what is written to stderr: exit code 1 is an error on `{}`, and 2 tells it",
        entry.event
    );
    report.note(at, "checker-tells-nothing", message).help("write `exit 2`").rule("O4");
    true
}

/// Returns whether a command is a checker whose exit code nothing uses.
fn is_ignored(text: &str, command: &Command) -> bool {
    let Some((before, after)) = text.split_once(command.raw()) else { return false };
    let before = before.trim_end();
    let after = behind_redirections(after);
    let is_asked = ["if", "while", "until", "!"].iter().any(|word| before.ends_with(word));
    let is_followed = after.starts_with('|') || after.contains("|| true");
    let is_of_line = command.via().is_none() && !is_in_substitution(before);
    is_of_line && !is_asked && !is_followed && is_checker(command)
}

/// Returns what follows the redirections behind a command.
fn behind_redirections(after: &str) -> &str {
    let mut rest = after.trim_start();
    while let Some(target) = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('>') {
        let target = target.trim_start_matches(['>', '&']).trim_start();
        let end =
            target.find(|c: char| c.is_whitespace() || matches!(c, '|' | ';' | '&')).unwrap_or(target.len());
        rest = target.get(end..).unwrap_or_default().trim_start();
    }
    rest
}

/// Returns whether a command is a linter, a type checker or a test runner that changes nothing.
pub(super) fn is_checker(command: &Command) -> bool {
    let words: Vec<&str> = command.words().map(Option::unwrap_or_default).collect();
    let words = match words.as_slice() {
        ["npx" | "bunx", rest @ ..]
        | ["pnpm" | "yarn", "exec", rest @ ..]
        | ["uv" | "poetry" | "pdm", "run", rest @ ..]
        | ["python" | "python3", "-m", rest @ ..] => rest,
        words => words,
    };
    match words {
        ["prettier", rest @ ..] => rest.iter().any(|word| matches!(*word, "--check" | "-c" | "-l")),
        ["npm" | "pnpm" | "yarn" | "bun", rest @ ..] => {
            matches!(rest, ["test" | "audit", ..] | ["run", "lint" | "test" | "typecheck" | "check", ..])
        }
        ["cargo", verb, ..] => matches!(*verb, "check" | "clippy" | "test"),
        ["go", verb, ..] => matches!(*verb, "vet" | "test"),
        ["ruff", rest @ ..] => rest.first() == Some(&"check"),
        [program, ..] => matches!(
            *program,
            "eslint"
                | "tsc"
                | "jest"
                | "vitest"
                | "pytest"
                | "mypy"
                | "pyright"
                | "flake8"
                | "pylint"
                | "shellcheck"
                | "golangci-lint"
                | "rubocop"
        ),
        [] => false,
    }
}
