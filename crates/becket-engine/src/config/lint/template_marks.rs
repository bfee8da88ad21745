//! Marks of a template that were never filled in: `<SKILL_DIR>/gate.sh`, `/path/to/check.sh`, `YOUR_TOKEN`,
//! `{{ROOT}}/x`, `{ROOT}/x`.

use super::commands::scripts;
use super::{Around, Entry};
use crate::config::handler::{Action, Command, Shell};
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use becket_rules::shell::{self, Line};
use std::path::Path;

/// A mark in a command.
struct TemplateMark<'t> {
    text: &'t str,
    /// Set if a path or a program can't be found because of it.
    is_path: bool,
}

pub(super) fn lint(entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    if is_template(report.file()) || around.agent.is_some() {
        return;
    }
    match &entry.handler.action {
        Action::Command(Command::Shell { script: text, shell: Shell::Default }) => {
            if let Some(found) = of_text(text) {
                let shown = found.text.to_owned();
                warn(&shown, found.is_path, report.part_of(entry.handler.action_span, text, &shown), report);
            }
        }
        Action::Command(Command::Exec { program, args }) => {
            let words = std::iter::once(&**program).chain(args.iter().map(String::as_str));
            let found = words.take(2).find_map(path).map(str::to_owned);
            if let Some(shown) = found {
                warn(&shown, true, entry.handler.action_span, report);
            }
        }
        Action::Command(Command::Shell { shell: Shell::PowerShell, .. })
        | Action::Http(_)
        | Action::McpTool(_)
        | Action::Prompt(_)
        | Action::Agent(_)
        | Action::Callback(_) => {}
    }
}

fn warn(shown: &str, is_path: bool, at: Span, report: &mut Report<'_>) {
    let message = if is_path {
        format!("`{shown}` is a placeholder, so nothing is found there: the hook fails every time")
    } else {
        format!("`{shown}` is a placeholder that was never filled in")
    };
    let help = "write the real value, or begin a path with `\\\"$CLAUDE_PROJECT_DIR\\\"`";
    report.never_works(is_path, at, "placeholder-in-command", message).help(help).rule("H2");
}

/// Returns whether a file is a template, whose marks are filled in when it is copied.
pub(super) fn is_template(file: &Path) -> bool {
    file.iter().filter_map(|part| part.to_str()).any(|part| part.starts_with("template"))
}

fn of_text(text: &str) -> Option<TemplateMark<'_>> {
    if let Some(found) = in_angles(text) {
        return Some(TemplateMark { text: found, is_path: true });
    }
    let line = Line::parse(text);
    let at = |found: String| text.find(&found).and_then(|at| text.get(at..at + found.len()));
    for command in line.commands().iter().filter(|command| !only_shows(command)) {
        let script = scripts(command.words());
        let target = command.words().nth(1).flatten().filter(|_| changes_directory(command));
        let found = script.as_deref().or(target).and_then(path).map(str::to_owned);
        if let Some(found) = found.and_then(at) {
            return Some(TemplateMark { text: found, is_path: true });
        }
        if let Some(found) = value(command.raw()).map(str::to_owned).and_then(at) {
            return Some(TemplateMark { text: found, is_path: false });
        }
    }
    None
}

fn changes_directory(command: &shell::Command) -> bool {
    matches!(command.words().next().flatten(), Some("cd" | "pushd"))
}

/// Returns whether a command only shows or looks for a text, such as a usage.
fn only_shows(command: &shell::Command) -> bool {
    matches!(
        command.words().next().flatten(),
        Some(
            "echo"
                | "printf"
                | "grep"
                | "rg"
                | "sed"
                | "awk"
                | "perl"
                | "jq"
                | "case"
                | "["
                | "[["
                | "test"
                | "cat"
        )
    )
}

/// Returns the `<NAME>` outside of quotes, which a shell reads as a redirection.
fn in_angles(text: &str) -> Option<&str> {
    let (mut quote, mut rest) = (None, text);
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '<') => {
                if let Some(found) = angle(rest) {
                    return Some(found);
                }
                // A here-document is data.
                if after.starts_with('<') {
                    return None;
                }
            }
            _ => {}
        }
        rest = after;
    }
    None
}

/// Returns the `<NAME>` at the beginning of a text.
fn angle(text: &str) -> Option<&str> {
    let (name, after) = text.strip_prefix('<')?.split_once('>')?;
    let is_ended = after.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, '/' | '"' | '\''));
    (is_name(name) && is_ended).then(|| text.get(..name.len() + 2)).flatten()
}

/// Returns whether a text between brackets is a name: in capitals, or with a word that names what is missing.
fn is_name(name: &str) -> bool {
    const WORDS: [&str; 14] = [
        "path",
        "dir",
        "directory",
        "root",
        "name",
        "your",
        "script",
        "file",
        "token",
        "url",
        "project",
        "plugin",
        "repo",
        "home",
    ];
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ' | '/');
    let lower = name.to_ascii_lowercase();
    let names_something =
        || lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WORDS.contains(&word));
    let is_capital = |c: char| c.is_ascii_uppercase() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.ends_with(' ');
    begins
        && name.chars().all(is_word)
        && (name.len() > 2 && name.chars().all(is_capital) || names_something())
}

/// Returns the mark in a path.
fn path(word: &str) -> Option<&str> {
    const PATHS: [&str; 4] = ["/path/to/", "path/to/your", "/absolute/path/", "/full/path/"];
    if let Some((at, _)) = word.match_indices('<').find(|(at, _)| word.get(*at..).and_then(angle).is_some()) {
        return word.get(at..).and_then(angle);
    }
    if PATHS.iter().any(|part| word.contains(part)) {
        return Some(word);
    }
    braced(word).or_else(|| in_single_braces(word)).or_else(|| value(word))
}

/// Returns the `{NAME}` in capitals at the start of a path: the shell takes it as it is written.
fn in_single_braces(word: &str) -> Option<&str> {
    let (name, after) = word.strip_prefix('{')?.split_once('}')?;
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_name = name.len() > 2 && name.chars().all(is_part);
    (is_name && after.starts_with('/')).then(|| word.get(..name.len() + 2)).flatten()
}

/// Returns the `{{NAME}}` of a path: a template that was not filled in.
fn braced(word: &str) -> Option<&str> {
    let start = word.find("{{")?;
    let found = word.get(start..start + word.get(start..)?.find("}}")? + 2)?;
    let name = found.trim_matches(['{', '}', ' ']);
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_plain.then_some(found)
}

/// Returns the `YOUR_…` of a text, unless it is a variable.
fn value(text: &str) -> Option<&str> {
    text.match_indices("YOUR_").find_map(|(at, _)| {
        let before = text.get(..at)?;
        let rest = text.get(at..)?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let begins = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '{'));
        let is_assigned = rest.get(end..)?.starts_with('=');
        rest.get(..end).filter(|name| begins && !is_assigned && name.len() > "YOUR_".len())
    })
}
