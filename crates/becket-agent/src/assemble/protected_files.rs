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
    let variable = request.profile.var("PROJECT_DIR");
    let places = Places { start: &request.start, home: request.environment.home(), variable: &variable };
    let scripts = scripts(engine, &places);
    plugins.into_iter().chain(own.into_iter().flatten()).chain(scripts).collect()
}

/// The directories from which the texts of hooks name scripts.
struct Places<'a> {
    start: &'a Path,
    home: Option<&'a Path>,
    /// The name of the variable for the project's directory.
    variable: &'a str,
}

/// Returns the scripts that hooks run.
fn scripts(engine: &Engine, places: &Places<'_>) -> Vec<PathBuf> {
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
        .flat_map(|text| words(&text, places))
        .map(|word| places.start.join(word))
        .filter(|p| is_script(p))
        .collect()
}

/// Returns the words of a command, unquoted and relative to the project.
fn words(text: &str, places: &Places<'_>) -> Vec<String> {
    let text: String = text.chars().filter(|c| !matches!(c, '"' | '\'')).collect();
    let text = below(&text, places.variable, "");
    let home = places.home.map(|home| format!("{}/", home.display()));
    let text = home.as_deref().map_or_else(|| text.clone(), |home| below(&text, "HOME", home));
    let ends =
        |c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | ')' | '<' | '>' | '`' | '=');
    let at_home = |word: &str| match (word.strip_prefix("~/"), &home) {
        (Some(rest), Some(home)) => format!("{home}{rest}"),
        (Some(_), None) | (None, _) => word.to_owned(),
    };
    text.split(ends).filter(|word| !word.is_empty()).map(at_home).collect()
}

/// Returns a text in which paths below the directory in a variable start with `directory`.
fn below(text: &str, variable: &str, directory: &str) -> String {
    text.replace(&format!("${{{variable}}}/"), directory).replace(&format!("${variable}/"), directory)
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
        let places =
            Places { start: Path::new("/w"), home: Some(Path::new("/h")), variable: "CLAUDE_PROJECT_DIR" };
        for (text, expected) in [
            ("python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a.py", vec!["python3", ".claude/hooks/a.py"]),
            ("${CLAUDE_PROJECT_DIR}/guard", vec!["guard"]),
            (
                "cd x && (./guard.sh --strict=yes)|cat",
                vec!["cd", "x", "./guard.sh", "--strict", "yes", "cat"],
            ),
            ("sh 'scripts/a.sh';exit 2", vec!["sh", "scripts/a.sh", "exit", "2"]),
            ("sh ~/a.sh \"$HOME\"/b ${HOME}/c a~/d", vec!["sh", "/h/a.sh", "/h/b", "/h/c", "a~/d"]),
            ("", vec![]),
        ] {
            assert_eq!(words(text, &places), expected, "{text}");
        }
    }
}
