//! Paths that exist on one machine only, in a file that comes with a repository or a plugin.

use super::Entry;
use crate::config::handler::{Action, Command};
use crate::config::source::report::Report;
use becket_model::Source;
use std::path::Path;

/// Directories whose children have other names on every machine.
const HOMES: [&str; 3] = ["/workspaces/", "/home/", "/Users/"];

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
    let starts = HOMES.iter().flat_map(|home| text.match_indices(home).map(|(at, _)| at));
    let at = starts.filter(|at| begins_word(text, *at)).min()?;
    let path = text.get(at..)?;
    let end = path.find(|c: char| c.is_whitespace() || "\"'`;&|()<>$".contains(c)).unwrap_or(path.len());
    path.get(..end)
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
