//! What stands on a handler's stdout: nothing, a JSON object, plain text, or an object that is broken (O1, O11).
//!
//! Two objects with the same key: the last value counts, as in JavaScript, where the protocol comes from.

use crate::failure::Failure;
use crate::table::{DecisionModel, EventSpec, PlainStdout};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// How many lines are tried as the beginning of a hidden answer.
const LINES: usize = 8;

/// A handler's stdout, told apart.
#[derive(Debug)]
pub(super) enum Stdout<'a> {
    /// Blank.
    Nothing,
    /// An answer.
    Object(Map<String, Value>),
    /// Text, without its line end.
    Plain(&'a str),
    /// It begins like an answer and is none.
    Broken(Failure),
}

/// Tells apart what `text` is on an event of `spec`.
pub(super) fn read<'a>(spec: &EventSpec, text: &'a str) -> Stdout<'a> {
    let body = text.trim_start_matches(is_leading);
    if body.trim_end().is_empty() {
        return Stdout::Nothing;
    }
    if !body.starts_with('{') {
        return Stdout::Plain(plain(text));
    }
    match parse(body) {
        Ok(object) => Stdout::Object(object),
        Err(error) if was_meant_as_answer(spec, body) => {
            Stdout::Broken(invalid(&error, &text[..text.len() - body.len()]))
        }
        Err(_) => Stdout::Plain(plain(text)),
    }
}

/// Whether a plain text ends with an answer on lines of its own, behind what a shell's profile or a tool printed.
pub(super) fn hides_answer(text: &str) -> bool {
    let is_answer = |object: Map<String, Value>| {
        ["hookSpecificOutput", "decision", "continue"].iter().any(|key| object.contains_key(*key))
    };
    text.trim_end().ends_with('}')
        && text
            .match_indices("\n{")
            .take(LINES)
            .any(|(at, _)| parse(text[at..].trim_start()).is_ok_and(is_answer))
}

/// Blanks and byte-order marks, in any order.
fn is_leading(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

fn plain(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r'])
}

/// O1: an object that was cut off, or is followed by a stray line, is an error wherever losing it could matter.
fn was_meant_as_answer(spec: &EventSpec, body: &str) -> bool {
    body.trim_end().ends_with('}')
        || (spec.decision != DecisionModel::None && spec.plain_stdout != PlainStdout::Context)
}

/// Reads an object. Half a surrogate pair, which JavaScript and Python write and serde_json refuses, is read as a
/// replacement character: a path with broken bytes in it must not cost a hook its denial (O11).
///
/// # Errors
/// It is no JSON object; the parser's words, with the position.
pub fn parse(body: &str) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_str(body).or_else(|error| match mend_surrogates(body) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(mended) => serde_json::from_str(&mended),
    })
}

/// Replaces `\uD800`–`\uDFFF` without its partner by `\ufffd`, which is as long: positions stay right.
fn mend_surrogates(text: &str) -> Cow<'_, str> {
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        let escape = at + found;
        at = escape + 2;
        match surrogate(text, escape) {
            Some(0xD800..=0xDBFF) if matches!(surrogate(text, escape + 6), Some(0xDC00..=0xDFFF)) => {
                at = escape + 12;
            }
            Some(_) => lone.push(escape),
            None => {}
        }
        if !text.is_char_boundary(at) || at > text.len() {
            break;
        }
    }
    if lone.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut mended = text.to_owned();
    for escape in lone {
        mended.replace_range(escape..escape + 6, "\\ufffd");
    }
    Cow::Owned(mended)
}

/// The surrogate that is written as an escape at `at`, if one is.
fn surrogate(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..=0xDFFF).contains(unit))
}

/// The parser's complaint, with its position in the whole stdout.
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
