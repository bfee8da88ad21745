//! Checks that the programs that commands start by name are on the `PATH` that hooks get.

use super::Entry;
use crate::config::handler::{Action, Command, Shell};
use crate::config::load::LoadedFiles;
use crate::config::source::report::Report;
use becket_base::find_program;
use becket_rules::shell::{Line, is_shell_word};

/// Warns about the first program of a command that is nowhere on `PATH`.
///
/// Only a line that starts its program in any case is checked: one that tests first (`command -v`, `||`, `if`), defines
/// a function or sets `PATH` may well do without.
pub(super) fn lint(entry: &Entry, loaded: &LoadedFiles, report: &mut Report<'_>) {
    let Some(path) = loaded.request.environment.var("PATH") else { return };
    let program = match &entry.handler.action {
        Action::Command(Command::Shell { script, shell: Shell::Default }) => of_line(script),
        Action::Command(Command::Exec { program, .. }) => Some(program.to_string()),
        Action::Command(Command::Shell { shell: Shell::PowerShell, .. })
        | Action::Http(_)
        | Action::McpTool(_)
        | Action::Prompt(_)
        | Action::Agent(_)
        | Action::Callback(_) => None,
    };
    let Some(program) = program.filter(|program| is_bare(program)) else { return };
    if sets_path(loaded) || find_program(&program, path).is_some() {
        return;
    }
    let message =
        format!("the program `{program}` is not on `PATH` here, so this hook does not work on this machine");
    report
        .warning(entry.handler.action_span, "missing-program", message)
        .help("install it, or write the path of the program; a hook that can't start is an error, and the action passes unchecked")
        .rule("H2");
}

/// Returns whether settings may give hooks another `PATH`.
pub(super) fn sets_path(loaded: &LoadedFiles) -> bool {
    loaded.layers().iter().any(|layer| layer.text.as_deref().is_ok_and(|text| text.contains("\"PATH\"")))
}

/// Returns the program that a line starts first, if it starts one in any case.
fn of_line(script: &str) -> Option<String> {
    let line = Line::parse(script);
    let has_conditions = ["||", "[[", "PATH=", "()", "`", "$("].iter().any(|part| script.contains(part));
    let is_plain = !has_conditions && line.commands().iter().all(|command| !is_keyword(command));
    let first = line.commands().first().filter(|_| is_plain)?;
    first.words().next()?.map(str::to_owned)
}

fn is_keyword(command: &becket_rules::shell::Command) -> bool {
    const DECIDE: [&str; 9] = ["if", "command", "type", "hash", "test", "[", "while", "until", "case"];
    command.words().next().flatten().is_some_and(|word| DECIDE.contains(&word))
}

/// Returns whether this is a name that is looked up on `PATH`, and not a path, a variable or a word of the shell.
fn is_bare(program: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-');
    !program.is_empty() && program.chars().all(is_name) && !is_shell_word(program)
}
