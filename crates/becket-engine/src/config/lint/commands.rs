//! Lints on the text of a command: quoting, relative paths, a swallowed failure, a Stop hook without its guard.

use super::guards::is_guard;
use super::{
    Around, Entry, answers, checkers, exit_status, fallback, fields, inline, messages, pipes, powershell,
    program_text, session_end, swallow, unexpanded, variables,
};
use crate::config::fix::{Fix, FixChange};
use crate::config::handler::{Action, Command, Shell};
use crate::config::nesting::runs_becket;
use crate::config::source::report::Report;
use becket_model::table::Exit2Effect;
use becket_model::{EventKind, OnFailure};
use becket_rules::shell::{self, Line, UnknownReason, beyond_sh};

pub(super) fn lint(entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    if runs_becket(&entry.handler.action, &around.profile.name) {
        let message =
            "this hook is Becket itself: it would run the hooks of this file again, so Becket skips it";
        let help = "write `becket --profile becket fire --stdin-event`, and move the hooks that it runs to `.becket/settings.json`";
        report.warning(entry.handler.action_span, "hook-is-becket", message).help(help).rule("H14");
        return;
    }
    match &entry.handler.action {
        Action::Command(Command::Shell { script, shell: Shell::Default }) => {
            shell_text(script, entry, around, report);
        }
        Action::Command(Command::Exec { program, args }) => {
            let words: Vec<&str> =
                std::iter::once(&**program).chain(args.iter().map(String::as_str)).collect();
            unexpanded::of_program(&words, entry, report);
            let script = scripts(words.into_iter().map(Some));
            relative("", script.as_deref(), entry, around, report);
        }
        Action::Command(Command::Shell { shell: Shell::PowerShell, .. })
        | Action::Http(_)
        | Action::McpTool(_)
        | Action::Prompt(_)
        | Action::Agent(_)
        | Action::Callback(_) => {}
    }
}

/// Looks at a command that no event starts: at what is wrong wherever it stands, and at the paths of its scripts.
pub(super) fn lint_outside(entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    lint_text(entry, around, report);
    if let Action::Command(Command::Shell { script: text, shell: Shell::Default }) = &entry.handler.action {
        relative_scripts(text, &Line::parse(text), entry, around, report);
        fallback::lint(text, entry, report);
    }
}

/// Looks at the text of a handler whose group is not loaded: at what is wrong wherever it stands.
pub(super) fn lint_text(entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let Action::Command(Command::Shell { script: text, shell: Shell::Default }) = &entry.handler.action
    else {
        return;
    };
    if let Some(name) = slash_command(text).filter(|_| around.agent.is_none()) {
        let message =
            format!("`{name}` is a command of the agent and no program, so the hook fails every time");
        report
            .error(entry.handler.action_span, "slash-command", message)
            .help(
                "a hook can't start commands of the agent; print `additionalContext` that asks the model to",
            )
            .rule("H2");
    }
    bad_substitution(text, entry, report);
    bash_only(text, entry, report);
    variables::lint(text, entry, around, report);
    unquoted(text, entry, around, report);
    unexpanded::lint(text, entry, around, report);
    powershell::lint(text, entry, report);
}

fn shell_text(text: &str, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let line = Line::parse(text);
    let at = entry.handler.action_span;
    let unparsable = line.unknowns().find_map(|reason| {
        if let UnknownReason::Unparsable { what, .. } = reason { Some(*what) } else { None }
    });
    if let Some(what) = unparsable {
        let consequence = if entry.event.spec().exit_2.effect.blocks() {
            format!("it exits with 2, which blocks every `{}` that this hook is for", entry.event)
        } else {
            "the hook fails every time".to_owned()
        };
        let message = format!("the shell can't read this command ({what}): {consequence}");
        report.error(at, "shell-syntax", message).help("count the quotes and brackets").rule("H2");
        return;
    }
    lint_text(entry, around, report);
    relative_scripts(text, &line, entry, around, report);
    if is_to_refuse(&line, entry)
        && let Some(ending) = swallow::ending(text, &line)
    {
        let message = format!(
            "this ends with `{ending}`, so the hook always succeeds: it can't refuse, and its failures stay unseen"
        );
        let help = "let the last command's own exit code through; 2 refuses";
        report.warning(at, "swallowed-failure", message).help(help).rule("O3");
    }
    answers::lint(text, &line, entry, around, report);
    if around.agent.is_none() {
        messages::lint(text, &line, entry, report);
    }
    pipes::lint(text, &line, entry, report);
    program_text::lint(text, &line, entry, report);
    fields::lint(text, &line, entry, around, report);
    checkers::lint(text, &line, entry, report);
    session_end::lint(text, &line, entry, report);
    endless_stop(text, &line, entry, report);
    plain_exit(text, &line, entry, report);
    misplaced_true(text, &line, entry, report);
    exit_status::lint(text, entry, around, report);
    fallback::lint(text, entry, report);
    guard_after_the_call(text, &line, entry, report);
    if !entry.handler.questions && asks(text) {
        warn_unasked(entry, "this command", report);
    }
}

/// Returns the command of the agent that a text begins with: `/review`, `/speckit.plan`. No program has such a path.
pub(super) fn slash_command(text: &str) -> Option<&str> {
    let word = text.split_whitespace().next()?;
    let name = word.strip_prefix('/')?;
    let is_part =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | ':' | '_' | '.');
    let is_name =
        name.len() > 2 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_part);
    let is_script = [".sh", ".py", ".js", ".ts", ".rb", ".exe"].iter().any(|end| name.ends_with(end));
    (is_name && !is_script).then_some(word)
}

/// Reports the scripts of a line whose paths depend on the current directory of the session.
fn relative_scripts(text: &str, line: &Line, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    // After a `cd` to a fixed place a path starts there, wherever the session is.
    for command in line.commands().iter().take_while(|command| !goes_to_fixed_place(command)) {
        relative(text, scripts(command.words()).as_deref(), entry, around, report);
    }
}

/// `true` as an argument, where the `||` in front of it is lost, and arguments of `true`, which reads none.
fn misplaced_true(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let has_arguments = |command: &&shell::Command| {
        let mut words = command.words();
        words.next() == Some(Some("true")) && words.next().is_some()
    };
    let is_argument = |command: &shell::Command| command.words().skip(1).last() == Some(Some("true"));
    let follows_redirection = text.match_indices(" true").any(|(at, word)| {
        let (before, after) =
            (text.get(..at).unwrap_or_default(), text.get(at + word.len()..).unwrap_or_default());
        let ends = after.trim_start().is_empty() || after.trim_start().starts_with([';', '&', '|', ')']);
        ends && ["/dev/null", "2>&1"].iter().any(|target| before.trim_end().ends_with(target))
    });
    let commands = line.commands();
    let (command, message) = if let Some(command) = commands.iter().find(has_arguments) {
        (command, "`true` ignores its arguments: they belong in front of the `||`")
    } else if let Some(command) = commands.iter().find(|command| follows_redirection && is_argument(command))
    {
        (command, "`true` is an argument of the program here: the `||` in front of it is missing")
    } else {
        return;
    };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    report.warning(at, "misplaced-true", message).help("write `… || true`").rule("H2");
}

/// A script that by its name blocks something, on an event after which nothing can be held back.
fn guard_after_the_call(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    const BEGINNINGS: [&str; 6] = ["block-", "block_", "deny-", "deny_", "prevent-", "prevent_"];
    if entry.event != EventKind::PostToolUse {
        return;
    }
    let script = line.commands().iter().find_map(|command| {
        let script = scripts(command.words())?;
        let name = script.rsplit('/').next().unwrap_or_default();
        BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)).then(|| name.to_owned())
    });
    let Some(name) = script else { return };
    let at = report.part_of(entry.handler.action_span, text, &name);
    let message =
        format!("`{name}` runs when the call has been made: on `{}` nothing is held back", entry.event);
    report.note(at, "guard-after-the-call", message).help("move it to `PreToolUse`").rule("O3");
}

/// Reports `exit 1` where 2 was meant: only 2 blocks.
fn plain_exit(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let code = line.commands().iter().find_map(|command| {
        let words: Vec<Option<&str>> = command.words().collect();
        match words.as_slice() {
            [Some("exit"), Some(code)] if !matches!(*code, "0" | "2") => code.parse::<u8>().ok(),
            _ => inline::exit_code(command),
        }
    });
    let blocks = holds_back(entry.event) && entry.handler.on_failure == OnFailure::Continue;
    let decides = ["decision", "permissionDecision", "behavior"].iter().any(|key| text.contains(key));
    let Some(code) = code.filter(|_| blocks && !decides) else { return };
    let message =
        format!("exit code {code} is an error, not a block, so this does not hold `{}` back", entry.event);
    report
        .warning(entry.handler.action_span, "exit-code-does-not-block", message)
        .help("to block, write the reason to stderr and end with `exit 2`")
        .rule("O4");
}

/// Returns whether a hook is meant to refuse something. At the end of a turn, on a prompt and before a compaction many
/// hooks only record something, so there it must be a guard or a checker.
fn is_to_refuse(line: &Line, entry: &Entry) -> bool {
    let often_records = matches!(
        entry.event.spec().exit_2.effect,
        Exit2Effect::ContinueTurn | Exit2Effect::RejectPrompt | Exit2Effect::BlockCompaction
    );
    let decides = line.commands().iter().any(checkers::is_checker) || is_guard(entry);
    holds_back(entry.event) && (!often_records || decides)
}

/// Returns whether exit code 2 blocks something that has not happened yet.
fn holds_back(event: EventKind) -> bool {
    let effect = event.spec().exit_2.effect;
    effect.blocks()
        && !matches!(effect, Exit2Effect::Feedback | Exit2Effect::StopLoop | Exit2Effect::FailCreation)
}

/// Returns whether a text prints a question for the user (Q1).
pub(super) fn asks(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| *c != '\\' && !c.is_whitespace()).collect();
    ["\"prompt\":", "\"options\":", "\"message\":"].iter().all(|key| plain.contains(key))
}

pub(super) fn warn_unasked(entry: &Entry, what: &str, report: &mut Report<'_>) {
    let message =
        format!("{what} asks a question, and the handler does not say `questions: true`: nobody is asked");
    report
        .warning(entry.handler.action_span, "question-not-asked", message)
        .help("add `\"questions\": true` to the handler")
        .rule("Q1");
}

/// Reports text that `/bin/sh` may not understand.
fn bash_only(text: &str, entry: &Entry, report: &mut Report<'_>) {
    if let Some(construct) = beyond_sh(text) {
        let message = format!(
            "`{construct}` is bash's, and this runs under `/bin/sh`, which is dash on Debian and Ubuntu: there it fails"
        );
        let help = "write `bash -c '…'`, or put it into a script that begins with `#!/usr/bin/env bash`";
        report.warning(entry.handler.action_span, "bash-only-syntax", message).help(help).rule("H2");
    }
}

/// Reports `${tool.name}`: a path of another program's templates, at which a shell stops.
fn bad_substitution(text: &str, entry: &Entry, report: &mut Report<'_>) {
    let is_for_shell = ["bash -c '", "sh -c '"].iter().any(|start| text.trim_start().starts_with(start));
    let found = text.match_indices("${").find_map(|(at, _)| {
        let (before, after) = (text.get(..at)?, text.get(at..)?);
        let written = after.get(..=after.find('}')?)?;
        let (name, path) = written.get(2..)?.split_once('.')?;
        let is_path = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        // The options of a plugin are filled in before a shell sees them.
        let is_other =
            !name.is_empty() && is_path(name) && is_path(path.trim_end_matches('}')) && name != "user_config";
        let is_quoted = before.matches('\'').count() % 2 == 1;
        (is_other && (is_for_shell || !is_quoted) && !before.ends_with('\\')).then_some(written)
    });
    let Some(written) = found else { return };
    let at = report.part_of(entry.handler.action_span, text, written);
    let message =
        format!("`{written}` is not a variable of a shell, which stops there: the hook fails every time");
    report
        .error(at, "shell-syntax", message)
        .help("the input of a hook is JSON on stdin: read it by `jq -r .tool_input.file_path`, for instance")
        .rule("H2");
}

/// Reports `$CLAUDE_PROJECT_DIR` or another directory without quotes, which breaks on a blank in the path.
fn unquoted(text: &str, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let [project, root, data] =
        ["PROJECT_DIR", "PLUGIN_ROOT", "PLUGIN_DATA"].map(|part| around.profile.var(part));
    let ours = [project, root, data, "HOME".to_owned()];
    let is_directory = |found: &variables::Use| {
        ours.contains(&found.name) || variables::is_directory_of_user(found, text, entry, around)
    };
    let bare = variables::uses(text).into_iter().find(|found| !found.quoted && is_directory(found));
    if let Some(found) = bare {
        let name = found.name;
        let at = [format!("${{{name}}}"), format!("${name}")]
            .into_iter()
            .find(|written| text.contains(written.as_str()))
            .map_or(entry.handler.action_span, |written| {
                report.part_of(entry.handler.action_span, text, &written)
            });
        let message = format!("`${name}` without quotes breaks where the path holds a blank");
        // A home directory seldom contains one.
        let finding = if name == "HOME" {
            report.note(at, "unquoted-variable", message)
        } else {
            report.warning(at, "unquoted-variable", message)
        };
        finding
            .help(format!("write `\\\"${name}\\\"{}`", if found.joined { "/…" } else { "" }))
            .rule("H2")
            .fix(Fix::not_safe(
                entry.handler.action_span,
                "put the variable in quotes",
                FixChange::SetValue(variables::in_quotes(text, is_directory).into()),
            ));
    }
}

/// Programs whose first operand is the script that they run.
pub(super) const INTERPRETERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "node", "bun", "deno", "tsx", "ts-node", "python", "python3", "ruby",
    "perl", "php", "pwsh", "source", ".",
];

/// Returns the script that a command runs, if its words name one: the program itself, or an interpreter's first
/// operand.
pub(super) fn scripts<'w>(mut words: impl Iterator<Item = Option<&'w str>>) -> Option<String> {
    let mut program = words.next()??;
    let mut runs_paths = true;
    // `uv run FILE`, `npx tsx FILE`: the script follows the runner.
    if let "npx" | "bunx" | "uv" | "poetry" | "bun" | "deno" = program {
        let next = words.next()??;
        let is_run = next == "run" && !matches!(program, "npx" | "bunx");
        runs_paths = is_run;
        program = match program {
            "npx" | "bunx" => next,
            "bun" | "deno" if !is_run => return script_operand(next),
            _ if !is_run => return None,
            _ => words.next()??,
        };
    }
    let name = program.rsplit('/').next().unwrap_or(program);
    if is_powershell(name) {
        return file_of_powershell(words);
    }
    if !INTERPRETERS.contains(&name) {
        // A package with a scope (`@scope/name`) is not a path.
        let is_path = runs_paths && program.contains('/') && !program.starts_with('@');
        return is_path.then(|| program.to_owned());
    }
    script_operand(words.next()??)
}

fn is_powershell(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().trim_end_matches(".exe"), "powershell" | "pwsh")
}

/// Returns the script behind the option `-File` of PowerShell, or its first word if that is a path.
fn file_of_powershell<'w>(mut words: impl Iterator<Item = Option<&'w str>>) -> Option<String> {
    let first = words.next()??;
    if let Some(script) = script_operand(first) {
        return Some(script);
    }
    let mut option = first;
    while !matches!(option.to_ascii_lowercase().as_str(), "-file" | "-f") {
        option = words.next()??;
    }
    script_operand(words.next()??)
}

/// Returns the operand of an interpreter if it is a path.
fn script_operand(first: &str) -> Option<String> {
    // An option may change what the next word means; then there is no finding.
    (!first.starts_with('-') && (first.contains('/') || first.contains('.'))).then(|| first.to_owned())
}

/// Returns whether a command changes to a directory that does not depend on the session's.
fn goes_to_fixed_place(command: &becket_rules::shell::Command) -> bool {
    let target = ["cd ", "pushd "].into_iter().find_map(|verb| command.raw().strip_prefix(verb));
    let target = target.map(|target| target.trim_start_matches("-- ").trim_start_matches('"'));
    target.is_some_and(|target| target.starts_with(['/', '~', '$', '`']))
}

/// Reports a path that depends on the current directory of the session. `text` is the shell text that names the script,
/// empty in exec form.
fn relative(text: &str, script: Option<&str>, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let Some(script) = script.filter(|script| !script.starts_with(['/', '~', '$', '%', '{', '<'])) else {
        return;
    };
    // Another agent has directories and variables of its own.
    if around.agent.is_some() {
        return;
    }
    if script.contains(':') || script.contains("://") {
        return;
    }
    let root = around.profile.var(if around.of_plugin { "PLUGIN_ROOT" } else { "PROJECT_DIR" });
    let message = format!(
        "`{script}` is looked for in the session's directory: after a `cd` it is not found, and the action passes unchecked"
    );
    let clean = script.trim_start_matches("./");
    report
        .warning(entry.handler.action_span, "relative-script", message)
        .help(format!("write `\\\"${{{root}}}\\\"/{clean}`"))
        .rule("H3")
        .fix(with_root(text, script, &format!("\"${{{root}}}\"/{clean}")).map(|text| {
            let at = entry.handler.action_span;
            Fix::not_safe(at, format!("put `${{{root}}}` in front"), FixChange::SetValue(text.into()))
        }));
}

/// Replaces the path of a script that a text names once, as a word of its own.
fn with_root(text: &str, script: &str, path: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
    let (before, after) = text.split_once(script)?;
    let ends = after.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, ';' | '&' | '|'));
    let begins = before.chars().next_back().is_none_or(char::is_whitespace);
    let is_alone = begins && ends && !after.contains(script) && !before.contains(['"', '\'', '\\']);
    (is_alone && script.chars().all(is_plain)).then(|| format!("{before}{path}{after}"))
}

/// Reports a Stop hook that blocks in its own text and never checks whether it has done so before.
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
    let message = format!("{what} can block every end of the turn: it never reads `stop_hook_active`");
    report
        .warning(entry.handler.action_span, "endless-stop", message)
        .help("let the turn end where the input says `\"stop_hook_active\": true`")
        .rule("L4");
}
