//! Entries in TOML: tables `[[hooks]]` at the end.

use super::layout::line_break;
use super::splice::{Insertions, without};
use super::{DocumentError, EditedText, Entry, OwnEntry};
use crate::command::is_own;
use std::ops::Range;
use toml_edit::{Document, Item, Table, Value};

const HOOKS: &str = "hooks";
/// The keys of an entry.
const KEYS: [&str; 3] = ["event", "command", "timeout"];

fn parsed(text: &str) -> Result<Document<&str>, DocumentError> {
    Document::parse(text).map_err(|error| malformed(text, error.message(), error.span()))
}

fn malformed(text: &str, message: &str, span: Option<Range<usize>>) -> DocumentError {
    DocumentError::Malformed { format: "TOML", why: cause(text, message, span) }
}

/// Returns the message of a parser in one line, with the place in the text.
pub(crate) fn cause(text: &str, message: &str, span: Option<Range<usize>>) -> String {
    let message = message.trim().replace('\n', ", ");
    let before = span.and_then(|span| text.get(..span.start)).map(|before| {
        let line = before.rsplit('\n').next().unwrap_or_default();
        format!("line {}, column {}: ", before.matches('\n').count() + 1, line.chars().count() + 1)
    });
    format!("{}{message}", before.unwrap_or_default())
}

/// Returns the value of a text.
pub(super) fn value(text: &str) -> Result<serde_json::Value, DocumentError> {
    let _document = parsed(text)?;
    toml_edit::de::from_str(text).map_err(|error| malformed(text, error.message(), error.span()))
}

/// Returns the tables of the hooks.
fn tables<'d>(document: &'d Document<&str>) -> Result<Vec<&'d Table>, DocumentError> {
    match document.as_table().get(HOOKS) {
        None => Ok(Vec::new()),
        Some(Item::ArrayOfTables(tables)) => Ok(tables.iter().collect()),
        Some(_) => Err(DocumentError::Form(
            "`hooks` is not written as tables `[[hooks]]`, so no entry can be added: write it so first"
                .to_owned(),
        )),
    }
}

fn text_of<'t>(table: &'t Table, key: &str) -> Option<&'t str> {
    table.get(key)?.as_str()
}

fn limit_of(table: &Table) -> Option<u64> {
    u64::try_from(table.get("timeout")?.as_integer()?).ok()
}

fn is_own_table(table: &Table) -> bool {
    text_of(table, "command").is_some_and(is_own)
}

/// Returns the entries that are Becket's own.
pub(super) fn own_entries(text: &str) -> Result<Vec<OwnEntry>, DocumentError> {
    let document = parsed(text)?;
    let own = tables(&document)?.into_iter().filter(|table| is_own_table(table));
    Ok(own
        .map(|table| OwnEntry {
            event: text_of(table, "event").unwrap_or_default().to_owned(),
            command: text_of(table, "command").unwrap_or_default().to_owned(),
            limit: limit_of(table),
            is_plain: table.len() == KEYS.len()
                && KEYS.iter().all(|key| table.contains_key(key))
                && limit_of(table).is_some(),
        })
        .collect())
}

/// Adds a table for each entry.
pub(super) fn add(text: &str, entries: &[Entry]) -> Result<EditedText, DocumentError> {
    let before = parsed(text)?;
    let known = tables(&before)?.len();
    let broken = line_break(text);
    let mut new = String::new();
    if !text.is_empty() && !text.ends_with('\n') {
        new.push_str(broken);
    }
    for entry in entries {
        if !(text.is_empty() && new.is_empty()) {
            new.push_str(broken);
        }
        let quoted = |text: &str| Value::from(text).to_string();
        let lines = [
            format!("[[{HOOKS}]]"),
            format!("event = {}", quoted(&entry.event)),
            format!("command = {}", quoted(&entry.command)),
            format!("timeout = {}", entry.limit),
        ];
        new.extend(lines.map(|line| line + broken));
    }
    let mut insertions = Insertions::default();
    insertions.push(text.len(), new);
    let edited = insertions.apply(text, Vec::new());
    let after = parsed(&edited.text)?;
    match tables(&after)?.len() == known + entries.len() {
        true => Ok(edited),
        false => Err(DocumentError::Ambiguous("edit it by hand")),
    }
}

/// Removes the own tables.
pub(super) fn remove(text: &str) -> Result<EditedText, DocumentError> {
    let document = parsed(text)?;
    let all = tables(&document)?;
    let own: Vec<&Table> = all.iter().copied().filter(|table| is_own_table(table)).collect();
    let ranges: Result<Vec<_>, _> = own.iter().map(|table| lines(text, table)).collect();
    let edited = EditedText { text: without(text, ranges?), inserted: Vec::new(), created: Vec::new() };
    let after = parsed(&edited.text)?;
    match tables(&after)?.len() + own.len() == all.len() && self::own_entries(&edited.text)?.is_empty() {
        true => Ok(edited),
        false => Err(DocumentError::Ambiguous("remove them by hand")),
    }
}

/// Returns the lines of a table, from its header on, with one empty line before it.
fn lines(text: &str, table: &Table) -> Result<Range<usize>, DocumentError> {
    if let Some((key, _)) = table.iter().find(|(key, _)| !KEYS.contains(key)) {
        return Err(DocumentError::Form(format!(
            "an entry of becket has the key `{key}`, which becket did not write: move it elsewhere first"
        )));
    }
    let spans = || table.iter().filter_map(|(_, item)| item.span());
    let (Some(first), Some(last)) =
        (spans().map(|span| span.start).min(), spans().map(|span| span.end).max())
    else {
        return Err(DocumentError::Ambiguous("remove them by hand"));
    };
    let header = text[..first].rfind("[[").ok_or(DocumentError::Ambiguous("remove them by hand"))?;
    let start = text[..header].rfind('\n').map_or(0, |at| at + 1);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    // A comment is the user's, on a line of its own as well as after the header or a value.
    let inside = &text[start..end];
    let rest_of_line = |at: usize| text[at..].lines().next().unwrap_or_default().trim();
    let has_comment = inside.lines().any(|line| line.trim_start().starts_with('#'))
        || !rest_of_line(start).ends_with("]]")
        || spans().any(|span| !rest_of_line(span.end).is_empty());
    if has_comment {
        return Err(DocumentError::Form(
            "a comment is inside of an entry of becket: move it elsewhere first".to_owned(),
        ));
    }
    let before = &text[..start];
    let blank = ["\r\n", "\n"]
        .into_iter()
        .find(|blank| before.strip_suffix(blank).is_some_and(|rest| rest.is_empty() || rest.ends_with('\n')));
    Ok(start - blank.map_or(0, str::len)..end)
}
