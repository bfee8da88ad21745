//! The path of a worktree that a hook made: printed by a command, or answered as `worktreePath`.
//!
//! The host checks whether the path exists, can be entered and crosses no symlink: this module does not access the file
//! system.

use crate::failure::Failure;
use std::path::PathBuf;

/// Returns the last line of `text` that is not empty, as a path, without ANSI codes.
pub(super) fn last_line(text: &str) -> Result<PathBuf, Failure> {
    let clean = strip_ansi(text);
    let line = clean.lines().map(str::trim).rfind(|line| !line.is_empty());
    line.ok_or_else(|| no_path("print the path as the last line".to_owned())).and_then(checked)
}

/// Returns `text` as a path, unless it has a `.` or `..` in it or is not a path at all.
pub(super) fn checked(text: &str) -> Result<PathBuf, Failure> {
    if text.is_empty() {
        return Err(no_path("the path is empty".to_owned()));
    }
    if text.chars().any(char::is_control) {
        return Err(no_path(format!("`{}` has control characters in it", text.escape_debug())));
    }
    let separators: &[char] = if cfg!(windows) { &['/', '\\'] } else { &['/'] };
    if text.split(separators).any(|part| part == "." || part == "..") {
        return Err(no_path(format!("`{text}` has `.` or `..` in it: name the directory itself")));
    }
    Ok(PathBuf::from(text))
}

fn no_path(message: String) -> Failure {
    Failure::NoPath { message }
}

/// Returns `text` without escape sequences (CSI, OSC and other strings, two-character ones) and byte-order marks.
fn strip_ansi(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_escape(&mut characters),
            '\u{9b}' => skip_control_sequence(&mut characters),
            '\u{feff}' => {}
            plain => clean.push(plain),
        }
    }
    clean
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape(characters: &mut Characters<'_>) {
    match characters.next() {
        Some('[') => skip_control_sequence(characters),
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(characters),
        Some(' '..='/') => {
            while characters.next_if(|next| (' '..='/').contains(next)).is_some() {}
            characters.next();
        }
        Some(_) | None => {}
    }
}

/// Skips parameters and intermediates, then one final character.
fn skip_control_sequence(characters: &mut Characters<'_>) {
    while characters.next_if(|next| (' '..='?').contains(next)).is_some() {}
    characters.next_if(|next| ('@'..='~').contains(next));
}

/// Skips to the bell or `ESC \`; a line end ends an unterminated string.
fn skip_string(characters: &mut Characters<'_>) {
    while let Some(next) = characters.next_if(|next| *next != '\n') {
        if next == '\u{7}' {
            return;
        }
        if next == '\u{1b}' && characters.next_if_eq(&'\\').is_some() {
            return;
        }
    }
}
