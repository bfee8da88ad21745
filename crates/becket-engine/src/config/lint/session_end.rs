//! Lints on the end of a session: programs that are too slow for it, and hooks that run at the end of a turn instead
//! (H11).

use super::Entry;
use crate::config::source::report::Report;
use becket_model::EventKind;
use becket_rules::shell::{Command, Line};

pub(super) fn lint(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    if entry.event == EventKind::SessionEnd && entry.handler.timeout.is_none() {
        slow_program(text, line, entry, report);
    } else if entry.event == EventKind::Stop {
        end_of_turn(text, entry, report);
    }
}

/// Reports a program that is built or downloaded first, within 1.5 s.
fn slow_program(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let Some(command) = line.commands().iter().find(|command| is_slow(command)) else { return };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    let message = "this is built or downloaded first, and without `timeout` the end of a session takes 1.5 s";
    report
        .warning(at, "slow-session-end", message)
        .help("install the program, or add `\"timeout\": 30` in a settings file")
        .rule("H11");
}

fn is_slow(command: &Command) -> bool {
    let words: Vec<Option<&str>> = command.words().take(2).collect();
    matches!(
        words.as_slice(),
        [Some("npx" | "bunx" | "uvx" | "make" | "docker"), ..]
            | [Some("go" | "cargo" | "uv" | "pipx"), Some("run")]
            | [Some("npm" | "pnpm" | "yarn"), Some("run" | "exec" | "dlx" | "install" | "ci")]
    )
}

/// Reports work for the end of a session that runs after each turn: Stop fires whenever the model has answered.
fn end_of_turn(text: &str, entry: &Entry, report: &mut Report<'_>) {
    const WORDS: [&str; 11] = [
        "session summary",
        "session-end",
        "session_end",
        "session end",
        "session completed",
        "session complete",
        "session ended",
        "session-cleanup",
        "session_cleanup",
        "cleanup-session",
        "cleanup_session",
    ];
    let lower = text.to_ascii_lowercase();
    let Some(word) =
        WORDS.iter().find_map(|word| lower.find(word).and_then(|at| text.get(at..at + word.len())))
    else {
        return;
    };
    let at = report.part_of(entry.handler.action_span, text, word);
    let message = "`Stop` fires after every turn, not at the end of a session";
    report
        .note(at, "stop-ends-a-turn", message)
        .help("move the hook to `SessionEnd` if it is for the end of a session")
        .rule("L0");
}
