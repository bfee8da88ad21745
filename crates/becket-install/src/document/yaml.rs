//! Entries in YAML: items of the lists below `hooks`, in block style.
//!
//! The lines are edited as text, and the meaning of the result is compared with the intended one.

use super::layout::line_break;
use super::splice::{Insertions, without};
use super::{DocumentError, EditedText, Entry, OwnEntry};
use crate::command::is_own;
use serde_json::{Value, json};
use serde_saphyr::Error;
use std::ops::Range;

const HOOKS: &str = "hooks";
const BY_HAND: DocumentError = DocumentError::Ambiguous("edit it by hand");

/// Returns the value of a text; `Null` for one without any.
pub(super) fn value(text: &str) -> Result<Value, DocumentError> {
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Value::Null);
    }
    // Numbers without an end become texts: JSON has none, and only entries are compared by their values.
    let options = serde_saphyr::options! {
        non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| malformed(&error))
}

fn malformed(error: &Error) -> DocumentError {
    if let Error::DuplicateMappingKey { key: Some(key), .. } = error {
        return DocumentError::DuplicateKey(key.clone());
    }
    if let Error::MultipleDocuments { .. } = error {
        return DocumentError::Form(
            "it has several documents, separated by `---`, and entries belong to one: move the others to files of \
             their own first"
                .to_owned(),
        );
    }
    let text = error.render_with_formatter(&serde_saphyr::UserMessageFormatter);
    let why = text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    DocumentError::Malformed { format: "YAML", why }
}

/// Returns the entries that are Becket's own.
pub(super) fn own_entries(text: &str) -> Result<Vec<OwnEntry>, DocumentError> {
    let value = value(text)?;
    let events = value.get(HOOKS).and_then(Value::as_object).into_iter().flatten();
    let entries = events.flat_map(|(event, list)| {
        list.as_array()
            .into_iter()
            .flatten()
            .filter_map(move |entry| Some((event, entry, entry.get("command")?.as_str()?)))
    });
    let own = entries.filter(|(_, _, command)| is_own(command));
    Ok(own.map(|(event, entry, command)| own_entry(event, entry, command)).collect())
}

fn own_entry(event: &str, entry: &Value, command: &str) -> OwnEntry {
    let limit = entry.get("timeout").and_then(Value::as_u64);
    let (event, command) = (event.to_owned(), command.to_owned());
    let written = Entry { event, command, limit: limit.unwrap_or_default() };
    let is_plain = *entry == value_of(&written);
    OwnEntry { event: written.event, command: written.command, limit, is_plain }
}

/// Returns the item of an entry.
fn value_of(entry: &Entry) -> Value {
    json!({"command": entry.command, "timeout": entry.limit})
}

/// One line of a text.
#[derive(Debug, Clone, Copy)]
struct Line<'t> {
    start: usize,
    end: usize,
    indent: usize,
    /// The text without blanks around it.
    text: &'t str,
}

impl Line<'_> {
    /// Returns true if the line is empty or a comment.
    fn is_blank(&self) -> bool {
        self.text.is_empty() || self.text.starts_with('#')
    }

    fn is_item(&self) -> bool {
        self.text == "-" || self.text.starts_with("- ")
    }

    /// Returns true if the line is a comment, or has one after its key or value.
    fn has_comment(&self) -> bool {
        let value = self.text.split_once(": ").map_or(self.text, |(_, value)| value.trim_start());
        let rest = value.strip_prefix('"').map_or(value, after_quote);
        self.text.starts_with('#') || rest.starts_with('#') || rest.contains(" #")
    }

    /// Returns true if the line is the key of a block.
    fn opens(&self, key: &str) -> bool {
        let rest = self.text.strip_prefix(key).or_else(|| {
            let quoted = self.text.strip_prefix(['"', '\''])?;
            quoted.strip_prefix(key)?.strip_prefix(['"', '\''])
        });
        rest.and_then(|rest| rest.trim_start().strip_prefix(':')).is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.is_empty() || rest.starts_with('#')
        })
    }
}

/// Returns the rest of a text after the quote that ends a value.
fn after_quote(quoted: &str) -> &str {
    let mut is_escaped = false;
    for (at, letter) in quoted.char_indices() {
        if letter == '"' && !is_escaped {
            return &quoted[at + 1..];
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    ""
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let indent = line.len() - line.trim_start_matches(' ').len();
        lines.push(Line { start, end, indent, text: line.trim() });
        start = end;
    }
    lines
}

/// A key and the lines of its block.
#[derive(Debug, Clone)]
struct Block {
    key: usize,
    /// The lines below the key up to the last one that is not blank.
    body: Range<usize>,
}

/// Returns the block of a key among some lines.
fn block(lines: &[Line<'_>], within: Range<usize>, indent: usize, key: &str) -> Option<Block> {
    let at = within.clone().find(|at| lines[*at].indent == indent && lines[*at].opens(key))?;
    let inside = |line: &Line<'_>| line.indent > indent || (line.indent == indent && line.is_item());
    let mut end = at + 1;
    let below = lines.iter().enumerate().take(within.end).skip(at + 1);
    for (index, _) in below.filter(|(_, line)| !line.is_blank()).take_while(|(_, line)| inside(line)) {
        end = index + 1;
    }
    Some(Block { key: at, body: at + 1..end })
}

/// Returns the indentation of the first line of a block that is not blank.
fn indent_of(lines: &[Line<'_>], block: &Block) -> Option<usize> {
    block.body.clone().map(|at| &lines[at]).find(|line| !line.is_blank()).map(|line| line.indent)
}

/// Adds items at the end of each event's list.
pub(super) fn add(text: &str, entries: &[Entry]) -> Result<EditedText, DocumentError> {
    let mut expected = value(text)?;
    let all = lines(text);
    let broken = line_break(text);
    let hooks = block(&all, 0..all.len(), 0, HOOKS);
    let has_hooks = expected.get(HOOKS).is_some();
    if has_hooks && hooks.is_none() {
        return Err(DocumentError::Form(
            "`hooks` is not a block of its own lines, so no entry can be added: write it so first".to_owned(),
        ));
    }
    let indent = hooks.as_ref().and_then(|hooks| indent_of(&all, hooks)).unwrap_or(2);
    let mut insertions = Insertions::default();
    let mut created = Vec::new();
    let mut missing: Vec<(&str, String)> = Vec::new();
    for entry in entries {
        let event = hooks.as_ref().and_then(|hooks| block(&all, hooks.body.clone(), indent, &entry.event));
        match event {
            Some(event) => {
                let dash = indent_of(&all, &event).unwrap_or(indent + 2);
                insertions.push(
                    end_of(text, &all, &event),
                    lead(text, &all, &event, broken) + &item(entry, dash, broken),
                );
            }
            None => match missing.iter_mut().find(|(known, _)| *known == entry.event) {
                Some((_, items)) => items.push_str(&item(entry, indent + 2, broken)),
                None => missing.push((&entry.event, item(entry, indent + 2, broken))),
            },
        }
        put(&mut expected, entry);
    }
    let blocks: String = missing
        .iter()
        .map(|(event, items)| format!("{}{event}:{broken}{items}", " ".repeat(indent)))
        .collect();
    created.extend(missing.iter().map(|(event, _)| vec![HOOKS.to_owned(), (*event).to_owned()]));
    match &hooks {
        _ if missing.is_empty() => {}
        Some(hooks) => insertions.push(end_of(text, &all, hooks), lead(text, &all, hooks, broken) + &blocks),
        None => {
            created.push(vec![HOOKS.to_owned()]);
            let lead = if text.is_empty() || text.ends_with('\n') { "" } else { broken };
            insertions.push(text.len(), format!("{lead}{HOOKS}:{broken}{blocks}"));
        }
    }
    let edited = insertions.apply(text, created);
    match value(&edited.text) {
        Ok(value) if value == expected => Ok(edited),
        Ok(_) | Err(_) => Err(BY_HAND),
    }
}

/// Returns the end of a block.
fn end_of(text: &str, lines: &[Line<'_>], block: &Block) -> usize {
    let last = lines.get(block.body.end.max(block.key + 1) - 1);
    last.map_or(text.len(), |line| line.end)
}

/// Returns the line break that a last line without one needs.
fn lead(text: &str, lines: &[Line<'_>], block: &Block, broken: &str) -> String {
    let end = end_of(text, lines, block);
    if text[..end].ends_with('\n') { String::new() } else { broken.to_owned() }
}

fn item(entry: &Entry, dash: usize, broken: &str) -> String {
    let blanks = " ".repeat(dash);
    let command = json!(entry.command);
    format!("{blanks}- command: {command}{broken}{blanks}  timeout: {}{broken}", entry.limit)
}

fn put(expected: &mut Value, entry: &Entry) {
    let new = value_of(entry);
    if expected.is_null() {
        *expected = json!({});
    }
    let Some(root) = expected.as_object_mut() else { return };
    let hooks = root.entry(HOOKS).or_insert(Value::Null);
    if hooks.is_null() {
        *hooks = json!({});
    }
    let Some(list) = hooks.as_object_mut().map(|hooks| hooks.entry(&entry.event).or_insert(Value::Null))
    else {
        return;
    };
    match list.as_array_mut() {
        Some(list) => list.push(new),
        None => *list = json!([new]),
    }
}

/// Removes the own items, and the parts of `created` that are then empty.
pub(super) fn remove(text: &str, created: &[Vec<String>]) -> Result<EditedText, DocumentError> {
    let mut expected = value(text)?;
    let all = lines(text);
    let mut ranges = Vec::new();
    let is_created = |path: &[&str]| created.iter().any(|known| known == path);
    if let Some(hooks) = block(&all, 0..all.len(), 0, HOOKS) {
        let indent = indent_of(&all, &hooks).unwrap_or(2);
        let events = expected.get(HOOKS).and_then(Value::as_object);
        let names: Vec<String> = events.into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let mut gone = 0;
        for name in &names {
            let Some(event) = block(&all, hooks.body.clone(), indent, name) else { continue };
            let own = own_items(&all, &event, &own_places(&expected, name));
            let count = event.body.clone().filter(|at| !all[*at].text.is_empty()).count();
            let is_empty = !own.is_empty()
                && own.iter().map(|item| item.len()).sum::<usize>() == count
                && !all[event.key].has_comment();
            ranges.extend(own.iter().map(|item| all[item.start].start..all[item.end - 1].end));
            if is_empty && is_created(&[HOOKS, name]) {
                ranges.push(all[event.key].start..all[event.key].end);
                gone += 1;
            }
            take(&mut expected, name, is_empty && is_created(&[HOOKS, name]));
        }
        let has_comment =
            all[hooks.key].has_comment() || hooks.body.clone().any(|at| all[at].text.starts_with('#'));
        if gone > 0 && gone == names.len() && is_created(&[HOOKS]) && !has_comment {
            ranges.push(all[hooks.key].start..all[hooks.key].end);
            expected.as_object_mut().map(|root| root.shift_remove(HOOKS));
        }
    }
    let edited = EditedText { text: without(text, ranges), inserted: Vec::new(), created: Vec::new() };
    let after = value(&edited.text);
    match after {
        Ok(value)
            if without_empty(value.clone()) == without_empty(expected)
                && own_entries(&edited.text)?.is_empty() =>
        {
            Ok(edited)
        }
        Ok(_) | Err(_) => Err(DocumentError::Ambiguous("remove them by hand")),
    }
}

/// Returns the lines of each own item of a list.
fn own_items(lines: &[Line<'_>], event: &Block, is_own: &[bool]) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    let dash = indent_of(lines, event);
    for at in event.body.clone() {
        if Some(lines[at].indent) == dash && lines[at].is_item() {
            items.push(at..at + 1);
        } else if let Some(item) = items.last_mut().filter(|_| !lines[at].is_blank()) {
            item.end = at + 1;
        }
    }
    if items.len() != is_own.len() {
        // The list is not written in lines of its own; the caller sees that entries are left.
        return Vec::new();
    }
    // A comment in the lines of an item is the user's.
    let has_comment = |item: &Range<usize>| item.clone().any(|at| lines[at].has_comment());
    let own = items.into_iter().zip(is_own).filter(|(item, is_own)| **is_own && !has_comment(item));
    own.map(|(item, _)| item).collect()
}

/// Returns for each item of an event's list whether it is Becket's own.
fn own_places(value: &Value, event: &str) -> Vec<bool> {
    let list = value.get(HOOKS).and_then(|hooks| hooks.get(event)).and_then(Value::as_array);
    list.into_iter().flatten().map(is_own_item).collect()
}

fn is_own_item(item: &Value) -> bool {
    item.get("command").and_then(Value::as_str).is_some_and(is_own)
}

fn take(expected: &mut Value, event: &str, whole: bool) {
    let Some(hooks) = expected.get_mut(HOOKS).and_then(Value::as_object_mut) else { return };
    if whole {
        hooks.shift_remove(event);
    } else if let Some(list) = hooks.get_mut(event).and_then(Value::as_array_mut) {
        list.retain(|entry| !is_own_item(entry));
    }
}

/// Normalizes a value: an empty block of YAML is null.
fn without_empty(mut value: Value) -> Value {
    if value.as_object().is_some_and(serde_json::Map::is_empty) {
        return Value::Null;
    }
    if let Some(hooks) = value.get_mut(HOOKS) {
        for list in hooks.as_object_mut().into_iter().flat_map(|hooks| hooks.values_mut()) {
            if list.as_array().is_some_and(Vec::is_empty) {
                *list = Value::Null;
            }
        }
        if hooks.as_object().is_some_and(serde_json::Map::is_empty) {
            *hooks = Value::Null;
        }
    }
    value
}
