//! Files that a session does not edit without a prompt, in addition to those that are always protected (`protocol.md`
//! P14): Becket's own permissions, and the scripts of its hooks, wherever they are.
//!
//! A guard that the model may rewrite guards nothing. Only scripts named in a command's text are found; the programs
//! that they run are not followed.

use becket_engine::Engine;
use becket_engine::config::{FlagSettings, Request};
use becket_engine::handler::{Action, Command};
use std::path::{Path, PathBuf};

/// The extensions of scripts. A path to a file without an extension also counts.
const SCRIPTS: [&str; 14] =
    ["sh", "bash", "zsh", "fish", "ps1", "py", "rb", "pl", "php", "lua", "js", "mjs", "cjs", "ts"];

/// Returns the protected files and directories: of plugins, of the user, of an administrator, the settings of the host,
/// and the scripts of hooks.
#[must_use]
pub(crate) fn protected_files(engine: &Engine, request: &Request) -> Vec<PathBuf> {
    let plugins = engine.config().plugins.iter().map(|plugin| plugin.directory.clone()).collect::<Vec<_>>();
    let settings = match &request.flag {
        Some(FlagSettings::File(file)) => Some(file.clone()),
        Some(FlagSettings::Text(_)) | None => None,
    };
    let own = [request.user_directory(), request.managed.clone(), settings];
    let scripts = scripts(engine, &request.start, &request.profile.var("PROJECT_DIR"));
    plugins.into_iter().chain(own.into_iter().flatten()).chain(scripts).collect()
}

/// Returns the scripts that hooks run. `variable` is the name of the variable for the project's directory in their
/// texts.
fn scripts(engine: &Engine, start: &Path, variable: &str) -> Vec<PathBuf> {
    let hooks = engine.host().hooks();
    let texts = hooks.all().flat_map(|handler| match &handler.action {
        Action::Command(Command::Shell { script, .. }) => vec![script.to_string()],
        Action::Command(Command::Exec { program, args }) => {
            std::iter::once(program.to_string()).chain(args.iter().cloned()).collect()
        }
        Action::Http(_) | Action::McpTool(_) | Action::Prompt(_) | Action::Agent(_) | Action::Callback(_) => {
            Vec::new()
        }
    });
    texts
        .flat_map(|text| words(&text, variable))
        .map(|word| start.join(word))
        .filter(|p| is_script(p))
        .collect()
}

/// Returns the words of a command, unquoted and relative to the project.
fn words(text: &str, variable: &str) -> Vec<String> {
    let text: String = text.chars().filter(|c| !matches!(c, '"' | '\'')).collect();
    let text = text.replace(&format!("${{{variable}}}/"), "").replace(&format!("${variable}/"), "");
    let ends =
        |c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | ')' | '<' | '>' | '`' | '=');
    text.split(ends).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn is_script(path: &Path) -> bool {
    let by_name = match path.extension() {
        Some(ending) => SCRIPTS.iter().any(|known| ending.eq_ignore_ascii_case(known)),
        None => true,
    };
    by_name && path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: P14
    #[test]
    fn the_words_of_a_command_are_seen_from_the_project() {
        for (text, expected) in [
            ("python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a.py", vec!["python3", ".claude/hooks/a.py"]),
            ("${CLAUDE_PROJECT_DIR}/guard", vec!["guard"]),
            (
                "cd x && (./guard.sh --strict=yes)|cat",
                vec!["cd", "x", "./guard.sh", "--strict", "yes", "cat"],
            ),
            ("sh 'scripts/a.sh';exit 2", vec!["sh", "scripts/a.sh", "exit", "2"]),
            ("", vec![]),
        ] {
            assert_eq!(words(text, "CLAUDE_PROJECT_DIR"), expected, "{text}");
        }
    }
}
