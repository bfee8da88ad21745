//! What a command's text gives away: quoting, relative paths, a swallowed failure, a Stop hook without its guard.

use super::{Around, Entry, swallow, variables};
use crate::config::source::report::Report;
use crate::handler::{Action, Command, Shell};
use becket_model::EventKind;
use becket_rules::shell::{Line, UnknownReason, beyond_sh};

pub(super) fn lint(entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    match &entry.handler.action {
        Action::Command(Command::Shell { script, shell: Shell::Default }) => {
            shell_text(script, entry, around, report);
        }
        Action::Command(Command::Exec { program, args }) => {
            let script =
                scripts(std::iter::once(&**program).chain(args.iter().map(String::as_str)).map(Some));
            relative(script.as_deref(), entry, around, report);
        }
        Action::Command(Command::Shell { shell: Shell::PowerShell, .. })
        | Action::Http(_)
        | Action::McpTool(_)
        | Action::Prompt(_)
        | Action::Agent(_)
        | Action::Callback(_) => {}
    }
}

fn shell_text(text: &str, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let line = Line::parse(text);
    let at = entry.handler.action_span;
    let unparsable = line.unknowns().find_map(|reason| {
        if let UnknownReason::Unparsable { what, .. } = reason { Some(*what) } else { None }
    });
    if let Some(what) = unparsable {
        let message = format!("the shell can't read this command ({what}), so the hook fails every time");
        report.warning(at, "shell-syntax", message).help("count the quotes and brackets").rule("H2");
        return;
    }
    bash_only(text, entry, report);
    variables::lint(text, entry, around, report);
    unquoted(text, entry, around, report);
    for command in line.commands() {
        relative(scripts(command.words()).as_deref(), entry, around, report);
    }
    if entry.event.spec().exit_2.effect.blocks()
        && let Some(ending) = swallow::ending(text, &line)
    {
        let message = format!(
            "this ends with `{ending}`, so the hook always succeeds: it can't refuse, and its failures stay unseen"
        );
        let help = "let the last command's own exit code through; 2 refuses";
        report.warning(at, "swallowed-failure", message).help(help).rule("O3");
    }
    endless_stop(text, &line, entry, report);
}

/// Text that `/bin/sh` need not understand.
fn bash_only(text: &str, entry: &Entry, report: &mut Report<'_>) {
    if let Some(construct) = beyond_sh(text) {
        let message = format!(
            "this runs under `/bin/sh`, and `{construct}` is bash's: where sh is another shell, it fails"
        );
        let help = "write `bash -c '…'`, or put it into a script that begins with `#!/usr/bin/env bash`";
        report.warning(entry.handler.action_span, "bash-only-syntax", message).help(help).rule("H2");
    }
}

/// `$CLAUDE_PROJECT_DIR` without quotes breaks on a blank in the path.
fn unquoted(text: &str, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let ours = ["PROJECT_DIR", "PLUGIN_ROOT", "PLUGIN_DATA"].map(|part| around.profile.var(part));
    // In a plugin's text the two plugin ones are replaced by the engine where that is safe (H2).
    let exempt = |name: &str| around.of_plugin && name != ours[0];
    let bare = variables::uses(text)
        .into_iter()
        .find(|found| !found.quoted && ours.contains(&found.name) && !exempt(&found.name));
    if let Some(found) = bare {
        let name = found.name;
        let message = format!("`${name}` without quotes breaks where the path holds a blank");
        report
            .warning(entry.handler.action_span, "unquoted-variable", message)
            .help(format!("write `\"${name}\"{}`", if found.joined { "/…" } else { "" }))
            .rule("H2");
    }
}

/// Programs that run the script they are given first.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "node", "bun", "deno", "tsx", "ts-node", "python", "python3", "ruby",
    "perl", "php", "pwsh", "source", ".",
];

/// The script that a command runs, if its words name one: the program itself, or an interpreter's first operand.
pub(super) fn scripts<'w>(mut words: impl Iterator<Item = Option<&'w str>>) -> Option<String> {
    let program = words.next()??;
    let name = program.rsplit('/').next().unwrap_or(program);
    if !INTERPRETERS.contains(&name) {
        return program.contains('/').then(|| program.to_owned());
    }
    let first = words.next()??;
    // An option may change what the next word means; then nothing is said.
    (!first.starts_with('-') && (first.contains('/') || first.contains('.'))).then(|| first.to_owned())
}

/// A path that depends on where the session's directory happens to be.
fn relative(script: Option<&str>, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let Some(script) = script.filter(|script| !script.starts_with(['/', '~', '$', '%'])) else {
        return;
    };
    if script.contains(':') || script.contains("://") {
        return;
    }
    let root = around.profile.var(if around.of_plugin { "PLUGIN_ROOT" } else { "PROJECT_DIR" });
    let message = format!("`{script}` is looked for in the session's directory, which moves");
    let clean = script.trim_start_matches("./");
    report
        .warning(entry.handler.action_span, "relative-script", message)
        .help(format!("write `\"${{{root}}}/{clean}\"`"))
        .rule("H3");
}

/// A Stop hook that blocks in its own text and never asks whether it has done so before.
fn endless_stop(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let blocks = line.commands().iter().any(|command| {
        let words: Vec<Option<&str>> = command.words().collect();
        words.as_slice() == [Some("exit"), Some("2")]
    });
    if is_stop(entry.event) && blocks && !text.contains("stop_hook_active") {
        warn_endless(entry, "this hook", report);
    }
}

pub(super) fn is_stop(event: EventKind) -> bool {
    matches!(event, EventKind::Stop | EventKind::SubagentStop)
}

pub(super) fn warn_endless(entry: &Entry, what: &str, report: &mut Report<'_>) {
    let message = format!("{what} can hold the turn again and again: it never looks at `stop_hook_active`");
    report
        .warning(entry.handler.action_span, "endless-stop", message)
        .help("let the turn end where the input says `\"stop_hook_active\": true`")
        .rule("L4");
}
