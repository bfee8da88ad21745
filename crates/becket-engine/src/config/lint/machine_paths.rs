//! Paths that exist on one machine only, in a file that comes with a repository or a plugin.

use super::Entry;
use crate::config::handler::{Action, Command};
use crate::config::source::report::Report;
use becket_model::Source;
use std::path::Path;

/// Directories whose children have other names on every machine.
const HOMES: [&str; 4] = ["/workspaces/", "/home/", "/Users/", "/Volumes/"];

pub(super) fn lint(entry: &Entry, report: &mut Report<'_>) {
    let is_shared = match report.source() {
        Source::Project | Source::Plugin(_) | Source::Flag => true,
        Source::Policy
        | Source::User
        | Source::Local
        | Source::Skill(_)
        | Source::Agent(_)
        | Source::Callback
        | Source::Function => false,
    };
    let text: &str = match &entry.handler.action {
        Action::Command(Command::Shell { script, .. }) => script,
        Action::Command(Command::Exec { program, .. }) => program,
        Action::Http(_) | Action::McpTool(_) | Action::Prompt(_) | Action::Agent(_) | Action::Callback(_) => {
            return;
        }
    };
    let Some(path) = foreign_path(text).filter(|path| is_shared && !is_above(path, report.file())) else {
        return;
    };
    let at = report.part_of(entry.handler.action_span, text, path);
    let message = format!(
        "`{path}` is the path of one machine: elsewhere the hook is not found, and the action passes unchecked"
    );
    report
        .note(at, "path-of-one-machine", message)
        .help("begin it with `\\\"$CLAUDE_PROJECT_DIR\\\"`, or with `~` for a file of the user")
        .rule("H3");
}

/// Returns the first path of a text that begins with the directory of a user or a container.
fn foreign_path(text: &str) -> Option<&str> {
    let starts = HOMES.iter().flat_map(|home| text.match_indices(home).map(|(at, _)| mount(text, at)));
    let drives = [":\\", ":/"].into_iter().flat_map(|colon| text.match_indices(colon));
    let drives = drives.filter_map(|(at, _)| drive(text, at));
    let at = starts.chain(drives).filter(|at| begins_word(text, *at)).min()?;
    let path = text.get(at..)?;
    let end = path.find(|c: char| c.is_whitespace() || "\"'`;&|()<>$".contains(c)).unwrap_or(path.len());
    path.get(..end)
}

/// Returns the start of a path whose home directory is at a position, with the drive in front of it: `/c/Users/`,
/// `/mnt/c/Users/`.
fn mount(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let is_letter = |letter: &str| letter.len() == 1 && letter.bytes().all(|byte| byte.is_ascii_alphabetic());
    match before.rsplit_once('/') {
        Some((front, letter)) if is_letter(letter) => front.strip_suffix("/mnt").unwrap_or(front).len(),
        Some(_) | None => at,
    }
}

/// Directories of Windows that every machine has.
const OF_WINDOWS: [&str; 3] = ["Program Files", "ProgramData", "Windows"];

/// Returns the start of a path on a drive, whose `:\` or `:/` is at a position, unless it is one that every machine has.
fn drive(text: &str, colon: usize) -> Option<usize> {
    let letter = text.get(..colon)?.chars().next_back().filter(char::is_ascii_alphabetic)?;
    let below = text.get(colon + 2..)?;
    let is_common = OF_WINDOWS.iter().any(|name| below.starts_with(name));
    // In a list of paths a name may come before `:/`.
    let is_drive =
        letter.is_ascii_uppercase() || below.starts_with("Users") || !text.get(colon..)?.starts_with(":/");
    (is_drive && !is_common && !below.starts_with('/')).then(|| colon - letter.len_utf8())
}

fn begins_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | '('))
}

/// Returns whether a file is in the home directory that a path begins with, and not in a project below it.
fn is_above(path: &str, file: &Path) -> bool {
    let home: Vec<&str> = path.split('/').take(3).collect();
    file.parent().and_then(Path::parent) == Some(Path::new(&home.join("/")))
}
