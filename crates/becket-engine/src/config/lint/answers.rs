//! Lints on what a command prints: literal answers that are misread, texts that reach nobody, a missing path.

use super::checkers::is_checker;
use super::commands::{asks, is_stop};
use super::{Around, Entry, inline};
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use becket_model::interpret::{self, HandlerOutput, OutputOrigin};
use becket_model::table::PlainStdout;
use becket_model::{EventKind, SandboxAnswer};
use becket_rules::shell::{Command, Line};
use serde_json::Value;

pub(super) fn lint(text: &str, line: &Line, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    if entry.event == EventKind::WorktreeCreate {
        worktree_path(text, line, entry, report);
        return;
    }
    // Another agent reads answers and texts in its own way.
    let mut has_unread = around.agent.is_some();
    for (command, literal) in printed_literals(text, line) {
        let at = report.part_of(entry.handler.action_span, text, command.raw());
        if asks(&literal) {
            continue;
        }
        if literal.trim_start().starts_with('{') {
            if let Some(noisy) = printed_in_front(text, line, command) {
                let message = format!(
                    "what `{}` prints stands in front of this answer, so nothing reads it as JSON",
                    noisy.text()
                );
                report
                    .error(at, "answer-not-understood", message)
                    .help("send the output of that command to stderr: `>&2`")
                    .rule("O1");
                ends_turn(&literal, entry, at, report);
                continue;
            }
            answer(&literal, entry, at, report);
            ends_turn(&literal, entry, at, report);
        } else if !has_unread {
            // One finding is enough for the hook.
            has_unread = unread_text(&literal, entry, at, report);
        }
    }
    if !has_unread
        && let Some(command) = printing(text, line).find(|command| prints_text_with_variables(command))
    {
        let at = report.part_of(entry.handler.action_span, text, command.raw());
        has_unread = unread_text(command.raw(), entry, at, report);
    }
    if !has_unread && let Some(literal) = printed_by_program(text, line) {
        let at = report.part_of(entry.handler.action_span, text, literal);
        has_unread = unread_text(literal, entry, at, report);
    }
    if !has_unread {
        unread_errors(text, line, entry, report);
    }
    install_output(text, line, entry, report);
}

/// Returns the checker whose failure prints in front of an answer: `tsc || echo '{…}'`.
fn printed_in_front<'l>(text: &str, line: &'l Line, answer: &Command) -> Option<&'l Command> {
    let joined = blanks_joined(text);
    let (before, _) = joined.split_once(answer.raw())?;
    let before = before.trim_end().strip_suffix("||")?;
    let start = before.rfind([';', '{', '(', '\n']).map_or(0, |at| at + 1);
    let front = before.get(start..)?;
    line.commands().iter().filter(|command| command.via().is_none()).find(|command| {
        let Some((_, after)) = front.split_once(command.raw()) else { return false };
        let after = after.trim_start();
        let joins_errors = after.starts_with("2>&1");
        let behind =
            after.strip_prefix("2>&1").or_else(|| after.strip_prefix("2>/dev/null")).unwrap_or(after);
        let is_kept = behind.trim_start().is_empty() || behind.trim_start().starts_with("&&");
        is_kept && prints_failures(command, joins_errors)
    })
}

/// Returns whether a command prints what it finds to stdout.
fn prints_failures(command: &Command, joins_errors: bool) -> bool {
    // They write to stderr.
    let is_quiet =
        matches!(command.words().next().flatten(), Some("cargo" | "go" | "shellcheck" | "golangci-lint"));
    let builds = command.words().flatten().take(3).any(|word| word == "build" || word.ends_with(":build"));
    (is_checker(command) || builds) && (joins_errors || !is_quiet)
}

/// Reports `continue: false` at the end of a turn with a reason that asks the model for more work (O6, L4).
fn ends_turn(literal: &str, entry: &Entry, at: Span, report: &mut Report<'_>) {
    const REQUESTS: [&str; 6] = ["fix", "before", "must", "first", "please", "run"];
    if !is_stop(entry.event) {
        return;
    }
    let Ok(Value::Object(answer)) = serde_json::from_str(literal) else { return };
    let reason = answer.get("stopReason").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let is_request = reason.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| REQUESTS.contains(&word));
    if answer.get("continue") != Some(&Value::Bool(false)) || answer.contains_key("decision") || !is_request {
        return;
    }
    report
        .error(
            at,
            "answer-ends-turn",
            "`continue: false` ends the turn, so the model does not do what the reason asks for",
        )
        .help("write `{\"decision\": \"block\", \"reason\": \"…\"}`")
        .rule("L4");
}

/// Returns the literal texts that a line writes to its own stdout, each with the command that writes it.
pub(super) fn printed_literals<'l>(text: &str, line: &'l Line) -> Vec<(&'l Command, String)> {
    printing(text, line).filter_map(|command| Some((command, literal(command)?))).collect()
}

/// Returns the commands whose output is that of the line itself, or of the text that `bash -c` runs.
pub(super) fn printing<'l>(text: &str, line: &'l Line) -> impl Iterator<Item = &'l Command> {
    // The output of a group may go elsewhere as a whole.
    const GROUP_ENDS: [&str; 5] = ["}", "done", "fi", "esac", ")"];
    let follows = |end: &str| {
        text.match_indices(end).any(|(at, _)| {
            let after = text.get(at + end.len()..).unwrap_or_default().trim_start();
            after.starts_with('>') || after.starts_with('|') && !after.starts_with("||")
        })
    };
    let is_moved = text.contains('`') || text.contains("exec ") || GROUP_ENDS.into_iter().any(follows);
    let own = outside_substitutions(&blanks_joined(text));
    let is_own = move |command: &&Command| {
        let is_of_line = command.via().is_none_or(|via| matches!(via, "sh" | "bash"));
        is_of_line && own.contains(command.raw()) && !goes_elsewhere(&own, command)
    };
    line.commands().iter().filter(move |_| !is_moved).filter(is_own)
}

/// Returns a text with single blanks, as commands are written out.
pub(super) fn blanks_joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a `$( )` is open at the end of a text.
pub(super) fn is_in_substitution(before: &str) -> bool {
    const END: char = '\0';
    !outside_substitutions(&format!("{before}{END}")).ends_with(END)
}

/// Returns the text without its `$( )`, which capture what is printed inside.
fn outside_substitutions(text: &str) -> String {
    let (mut own, mut depth, mut rest) = (String::new(), 0_usize, text);
    while let Some(c) = rest.chars().next() {
        match c {
            '$' if rest.starts_with("$(") => {
                depth += 1;
                rest = rest.get(2..).unwrap_or_default();
                continue;
            }
            '(' if depth > 0 => depth += 1,
            ')' if depth > 0 => {
                depth -= 1;
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            c if depth == 0 => own.push(c),
            _ => {}
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    own
}

/// Returns whether a pipe, stderr or `/dev/null` receives the output of a command.
fn goes_elsewhere(text: &str, command: &Command) -> bool {
    let Some((_, after)) = text.split_once(command.raw()) else { return true };
    let after = after.trim_start();
    after.starts_with(['>', '&']) && !after.starts_with("&&")
        || after.starts_with('|') && !after.starts_with("||")
        || ["1>", "2>"].iter().any(|start| after.starts_with(start))
}

/// Returns the text that `echo` or `printf` prints, if it is known.
fn literal(command: &Command) -> Option<String> {
    let words: Option<Vec<&str>> = command.words().collect();
    match words?.as_slice() {
        ["echo", "-n" | "-e", rest @ ..] | ["echo", rest @ ..] if !rest.is_empty() => Some(rest.join(" ")),
        ["printf", "%s" | "%s\\n", text] => Some((*text).to_owned()),
        ["printf", format] if !format.contains('%') => Some(format.replace("\\n", "\n")),
        _ => None,
    }
}

/// Returns whether `echo` prints a sentence with a value in it: `echo "WARNING: check $path"`.
fn prints_text_with_variables(command: &Command) -> bool {
    let Some(text) = command.raw().strip_prefix("echo ").filter(|_| literal(command).is_none()) else {
        return false;
    };
    let text = text.trim_start_matches("-e ").trim_start_matches(['"', '\'']);
    let words = text.split_whitespace().take_while(|word| !word.contains(['$', '`', '\\', '{']));
    words.filter(|word| word.chars().any(char::is_alphabetic)).count() > 1
}

/// Returns the first text that a program in the line prints: `node -e "console.log('…')"`. One that may answer, or end
/// with 2, is left out.
fn printed_by_program<'t>(text: &'t str, line: &Line) -> Option<&'t str> {
    const ANSWERS: [&str; 7] =
        ["exit(2", "exitCode", "ecision", "additionalContext", "systemMessage", "console.error", "stderr"];
    let runs = printing(text, line).any(|command| inline::program(command).is_some());
    if !runs || ANSWERS.iter().any(|key| text.contains(key)) {
        return None;
    }
    ["console.log(", "print("].iter().flat_map(|call| text.match_indices(call)).find_map(|(at, call)| {
        let rest = text.get(at + call.len()..)?.trim_start_matches('\\');
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
        let literal = rest.get(1..)?.split(quote).next()?.trim_end_matches('\\');
        let is_text =
            literal.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count() > 1;
        (is_text && !literal.trim_start().starts_with('{')).then_some(literal)
    })
}

/// Interprets a literal JSON answer as a session would (O1, O5–O7).
fn answer(literal: &str, entry: &Entry, at: Span, report: &mut Report<'_>) {
    let spec = entry.event.spec();
    let printed =
        HandlerOutput { stdout: literal.as_bytes(), ..HandlerOutput::nothing(OutputOrigin::Command) };
    let taken = interpret::printed(spec, &printed);
    // Rights that can't be read refuse each call (E5).
    let unread = taken.reply.fields.sandbox.as_ref().and_then(SandboxAnswer::unread).map(str::to_owned);
    if let Some(why) = taken.failure.as_ref().map(ToString::to_string).or(unread) {
        let message = format!("this answer is not understood on `{}`: {why}", entry.event);
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

/// Reports a text that is only logged (O2); returns whether it is one.
fn unread_text(literal: &str, entry: &Entry, at: Span, report: &mut Report<'_>) -> bool {
    let spec = entry.event.spec();
    let is_addressed = literal.contains(char::is_whitespace);
    if spec.plain_stdout != PlainStdout::Log || !is_addressed {
        return false;
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
    true
}

/// A text on stderr of a hook that can only end with 0, so that it is logged (O2).
fn unread_errors(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let own: Vec<&Command> = line.commands().iter().filter(|command| command.via().is_none()).collect();
    let fails = |command: &&Command| {
        let words: Vec<Option<&str>> = command.words().collect();
        match words.as_slice() {
            [Some("exit" | "return"), code] => *code != Some("0"),
            [Some("exec" | "false" | "set" | "trap"), ..] => true,
            _ => false,
        }
    };
    let ends_well = own
        .last()
        .and_then(|last| last.words().next().flatten())
        .is_some_and(|program| matches!(program, "echo" | "printf" | "true" | ":" | "exit"));
    if !entry.event.spec().exit_2.effect.blocks() || !ends_well || own.iter().any(fails) {
        return;
    }
    let outside = outside_substitutions(&blanks_joined(text));
    let message = own.iter().find(|command| {
        let goes_to_stderr = |after: &str| {
            let after = after.trim_start();
            after.starts_with(">&2") || after.starts_with("1>&2")
        };
        let is_moved = outside.split_once(command.raw()).is_some_and(|(_, after)| goes_to_stderr(after));
        is_moved && literal(command).is_some_and(|literal| literal.contains(char::is_whitespace))
    });
    let Some(command) = message else { return };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    report
        .note(
            at,
            "text-not-shown",
            "stderr of a hook that ends with 0 is only logged: neither the model nor the user sees it",
        )
        .help("end with `exit 2` to tell the model; to tell the user, print `{\"systemMessage\": \"…\"}`")
        .rule("O2");
}

/// Reports the output of a package manager where the model reads what a hook prints (O2).
fn install_output(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    if entry.event.spec().plain_stdout != PlainStdout::Context {
        return;
    }
    let Some(command) = printing(text, line).find(|command| installs(command)) else { return };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    let message =
        format!("what `{}` prints becomes context of the model on `{}`", command.text(), entry.event);
    report.note(at, "output-in-context", message).help("add `>/dev/null`, or `>&2`").rule("O2");
}

/// Returns whether a command installs or builds something, and prints much about it.
fn installs(command: &Command) -> bool {
    let words: Vec<&str> = command.words().map_while(|word| word).collect();
    match words.as_slice() {
        [_, rest @ ..] if rest.iter().any(|word| matches!(*word, "-q" | "--quiet" | "--silent" | "-s")) => {
            false
        }
        [
            "npm" | "pnpm" | "yarn" | "bun" | "pip" | "pip3" | "gem" | "bundle" | "apt-get" | "brew",
            verb,
            ..,
        ] => {
            // `bun run FILE` starts a program, as `node FILE` does.
            let is_task = words.get(2).is_some_and(|task| !task.contains(['.', '/']));
            matches!(*verb, "install" | "ci" | "i" | "add" | "update") || *verb == "run" && is_task
        }
        ["yarn" | "make"] | ["cargo", "build" | "install", ..] | ["uv", "sync", ..] => true,
        _ => false,
    }
}

/// Checks that a WorktreeCreate hook, which replaces git's own worktree, prints a path (O1).
fn worktree_path(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let at = entry.handler.action_span;
    let joined = blanks_joined(text);
    // A hook that says of itself that it creates one needs no advice.
    let creates = |command: &Command| {
        let text = command.raw().to_ascii_lowercase();
        let has = |words: &[&str]| {
            text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| words.contains(&word))
        };
        has(&["create", "add", "new", "provision"]) && !has(&["log", "notify", "audit", "track", "record"])
    };
    let is_silent = |command: &Command| prints_no_path(command) || is_discarded(&joined, command);
    // A program that an option of git names is not run now.
    let mut commands = line.commands().iter().filter(|command| command.via() != Some("git")).peekable();
    if commands.peek().is_some() && commands.all(is_silent) {
        let message = "a `WorktreeCreate` hook replaces git's worktree and must print its path; this one prints no path";
        report.error(at, "no-worktree-path", message).help("end with `echo \"$path\"`").rule("O1");
    } else if !line.commands().iter().any(creates) {
        let message =
            "a `WorktreeCreate` hook replaces git's worktree: it must create one and print its path";
        report
            .note(at, "replaces-worktree", message)
            .help("to react to a worktree that git has created, use another event")
            .rule("O1");
    }
}

/// Returns whether a command certainly prints no path.
fn prints_no_path(command: &Command) -> bool {
    const SILENT: [&str; 18] = [
        "cd", "mkdir", "cp", "ln", "npm", "touch", "mv", "rm", "chmod", "true", ":", "exit", "sleep",
        "export", "logger", "set", "[", "test",
    ];
    let words: Vec<&str> = command.words().map(Option::unwrap_or_default).collect();
    match words.as_slice() {
        ["git", "config", rest @ ..] => {
            !rest.iter().any(|word| word.starts_with("--get") || matches!(*word, "-l" | "--list" | "get"))
                && rest.iter().filter(|word| !word.starts_with('-')).count() > 1
        }
        ["git", "fetch" | "checkout" | "submodule" | "pull", ..] => true,
        ["echo" | "printf", ..] => literal(command).is_some_and(|literal| !literal.contains(['/', '~', '.'])),
        [program, ..] => SILENT.contains(program),
        [] => false,
    }
}

/// Returns whether a file or `/dev/null` receives all that a command prints.
fn is_discarded(text: &str, command: &Command) -> bool {
    let after = text.split_once(command.raw()).map_or("", |(_, after)| after).trim_start();
    let target = ["1>", "&>", ">"].iter().find_map(|start| after.strip_prefix(start));
    target.is_some_and(|target| !target.starts_with('&') && !target.trim_start_matches('>').starts_with('('))
}
