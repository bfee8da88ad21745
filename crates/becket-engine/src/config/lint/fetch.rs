//! Lints on programs that a command downloads each time it runs.

use super::Entry;
use crate::config::handler::{Action, Command, Shell};
use crate::config::source::report::Report;
use becket_rules::shell::{self, Line};

/// Notes a package without an exact version; returns whether there is one.
pub(super) fn lint(entry: &Entry, report: &mut Report<'_>) -> bool {
    let Action::Command(Command::Shell { script: text, shell: Shell::Default }) = &entry.handler.action
    else {
        return false;
    };
    let line = Line::parse(text);
    let Some((command, package)) =
        line.commands().iter().find_map(|command| Some((command, unpinned(command)?)))
    else {
        return false;
    };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    let message =
        format!("`{package}` is not pinned: whatever is published under that name runs at the next event");
    report
        .note(at, "unpinned-package", message)
        .help("name an exact version (`package@1.2.3`), or install the package and start its program")
        .rule("H2");
    true
}

/// Returns the package that a runner downloads in a version that may change.
fn unpinned(command: &shell::Command) -> Option<String> {
    let words: Vec<&str> = command.words().map_while(|word| word).collect();
    let (rest, separator) = match words.as_slice() {
        ["npx" | "bunx", rest @ ..] | ["pnpm" | "yarn", "dlx", rest @ ..] | ["npm", "exec", rest @ ..] => {
            (rest, "@")
        }
        ["uvx", rest @ ..] | ["pipx", "run", rest @ ..] | ["uv", "tool", "run", rest @ ..] => (rest, "=="),
        _ => return None,
    };
    let package = rest.iter().find(|word| !word.starts_with('-'))?;
    let downloads =
        rest.iter().take_while(|word| word.starts_with('-')).any(|word| matches!(*word, "-y" | "--yes"));
    let name = package.strip_prefix('@').unwrap_or(package);
    let version = name.split_once(separator).or_else(|| name.split_once('@')).map(|(_, version)| version);
    match version {
        Some(version) => (!is_exact(version)).then(|| (*package).to_owned()),
        // Without a version npx prefers what the project has installed.
        None => (downloads || separator == "==").then(|| (*package).to_owned()),
    }
}

fn is_exact(version: &str) -> bool {
    version.starts_with(|c: char| c.is_ascii_digit()) && version.matches('.').count() >= 2
}
