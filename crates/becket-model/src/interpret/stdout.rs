//! The kinds of text that a handler's stdout can be: nothing, a JSON object, plain text, or a broken object (O1, O11).

use super::json_answer::{JsonAnswer, OWN, parse_object};
use crate::failure::Failure;
use crate::table::{DecisionModel, EventSpec, PlainStdout};
use serde_json::{Map, Value};

/// The number of lines that are tried as the beginning of a hidden answer.
const LINES: usize = 8;

/// Words that hardly any text but an answer contains.
const ANSWER_WORDS: [&str; 2] = ["hookSpecificOutput", "permissionDecision"];

/// Keys that make a text an answer if they are written as keys.
const ANSWER_KEYS: [&str; 3] = ["decision", "continue", "behavior"];

/// A handler's stdout, by its kind.
#[derive(Debug)]
pub(super) enum Stdout<'a> {
    /// Blank.
    Nothing,
    /// An answer.
    Object(JsonAnswer),
    /// Text, without its line end.
    Plain(&'a str),
    /// Text that begins like an answer and is not one.
    Broken(Failure),
}

/// Determines what `text` is on an event of `spec`.
pub(super) fn read<'a>(spec: &EventSpec, text: &'a str) -> Stdout<'a> {
    let body = text.trim_start_matches(is_leading);
    if body.trim_end().is_empty() {
        return Stdout::Nothing;
    }
    if !body.starts_with('{') {
        return Stdout::Plain(plain(text));
    }
    match JsonAnswer::parse(spec.kind, body) {
        Ok(answer) => Stdout::Object(answer),
        Err(error) if was_meant_as_answer(spec, body) => {
            Stdout::Broken(invalid(&error, &text[..text.len() - body.len()]))
        }
        Err(_) => Stdout::Plain(plain(text)),
    }
}

/// Returns why a plain text looks as if an answer had been intended, if it does.
pub(super) fn hidden_answer(spec: &EventSpec, text: &str) -> Option<&'static str> {
    if ends_with_answer(text) {
        return Some("its answer was not read, because other text precedes it: print only the JSON object");
    }
    // If plain text is context, at least the model reads it.
    (spec.plain_stdout != PlainStdout::Context && looks_like_answer(text)).then_some(
        "its output looks like an answer, but was not read as one: print one JSON object, in UTF-8 and with nothing \
         around it",
    )
}

/// Returns whether a text ends with an answer on separate lines, after output of a shell's profile or a tool.
fn ends_with_answer(text: &str) -> bool {
    let is_answer = |object: Map<String, Value>| {
        [OWN, "decision", "continue"].iter().any(|key| object.contains_key(*key))
    };
    text.trim_end().ends_with('}')
        && text
            .match_indices("\n{")
            .take(LINES)
            .any(|(at, _)| parse_object(text[at..].trim_start()).is_ok_and(is_answer))
}

/// Returns whether a text looks like an answer in a fence, a list, a string or after an escape sequence, or one in
/// UTF-16, where every other byte is NUL.
fn looks_like_answer(text: &str) -> bool {
    let text = text.replace('\0', "");
    ANSWER_WORDS.iter().any(|word| text.contains(word))
        || ANSWER_KEYS.iter().any(|key| text.match_indices(key).any(|(at, _)| is_key(&text, at, key.len())))
}

/// Returns whether the word at `at` is quoted and followed by a colon.
fn is_key(text: &str, at: usize, length: usize) -> bool {
    let is_quote = |character: char| matches!(character, '"' | '\'' | '\\');
    text[..at].ends_with(is_quote)
        && text[at + length..].starts_with(is_quote)
        && text[at + length..].trim_start_matches(is_quote).trim_start().starts_with(':')
}

/// Returns true for blanks and byte-order marks.
pub(super) fn is_leading(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

fn plain(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r'])
}

/// Returns whether a text was meant as an answer: an object that was cut off, or is followed by a stray line, is an
/// error wherever losing it could matter (O1).
fn was_meant_as_answer(spec: &EventSpec, body: &str) -> bool {
    body.trim_end().ends_with('}')
        || (spec.decision != DecisionModel::None && spec.plain_stdout != PlainStdout::Context)
}

/// Returns the parser's error, with its position in the whole stdout.
fn invalid(error: &serde_json::Error, before: &str) -> Failure {
    let position = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let message = text.strip_suffix(&position).unwrap_or(&text).to_owned();
    let same_line = before.rsplit('\n').next().map_or(0, str::len);
    let indent = if error.line() == 1 { same_line } else { 0 };
    Failure::InvalidJson {
        message,
        line: error.line().max(1) + before.matches('\n').count(),
        column: error.column().max(1) + indent,
    }
}
