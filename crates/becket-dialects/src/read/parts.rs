//! The calls of the protocol that one call of an agent stands for.
//!
//! INVARIANT: each text of the agent's input is in the input of a call, or the reading fails.

use super::command::{commands, without_commands};
use super::directory::directories;
use super::keys::{self, Keys, is_empty, put};
use super::patch::{self, FileChange};
use crate::{CallShape, ToolClass, ToolRow};
use serde_json::{Map, Value, json};

/// One call of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallPart {
    pub(super) tool: &'static str,
    pub(super) input: Map<String, Value>,
    /// The directory in which it runs, if it is not that of the session.
    pub(super) directory: Option<String>,
}

const FILE: &str = "file_path";

/// The calls that lists of several fields may stand for.
const MOST: usize = 10_000;

/// Reads the input of a call by the row of its tool.
pub(super) fn parts(row: &ToolRow, input: &Map<String, Value>, cwd: &str) -> Result<Vec<CallPart>, String> {
    let part = |input| CallPart { tool: row.ours, input, directory: None };
    let mut parts: Vec<CallPart> = match row.shape {
        CallShape::One => one(row, input)?,
        CallShape::Commands(names) => {
            let rest = keys::ours(&without_commands(input, names), row.keys)?;
            let lines = commands(input, names)?.into_iter();
            lines.map(|command| with(&rest, "command", &command.line).map(part)).collect::<Result<_, _>>()?
        }
        CallShape::Paths(names) => paths(input, names, row.keys)?.into_iter().map(part).collect(),
        CallShape::Patterns(names) => {
            let files = paths(input, names, row.keys)?.into_iter().map(pattern);
            files.map(|input| input.map(part)).collect::<Result<_, _>>()?
        }
        CallShape::Urls(key) => urls(input, key, row.keys)?.into_iter().map(part).collect(),
        CallShape::Patch(key) => patched(row, input, key, cwd)?,
        CallShape::PatchOrOne(key) if input.get(key).is_none_or(is_empty) => one(row, input)?,
        CallShape::PatchOrOne(key) => patch_and_one(row, input, key, cwd)?,
    };
    let directories = directories(row, input, cwd)?;
    let alike = parts.clone();
    parts.clear();
    for directory in directories {
        parts.extend(alike.iter().cloned().map(|part| CallPart { directory: directory.clone(), ..part }));
    }
    Ok(parts)
}

/// Returns the fields of a tool of the protocol that an agent may give as lists: each value is a call.
fn listed(tool: &str) -> &'static [&'static str] {
    match tool {
        "Read" => &[FILE],
        "Glob" => &["path", "pattern"],
        "Grep" => &["path", "glob"],
        "LS" => &["path"],
        "WebFetch" => &["url"],
        _ => &[],
    }
}

/// Returns the call with the same input, once for each of its files, patterns and URLs.
fn one(row: &ToolRow, input: &Map<String, Value>) -> Result<Vec<CallPart>, String> {
    let mut inputs = vec![keys::ours(input, row.keys)?];
    for field in listed(row.ours) {
        let entries =
            |input: &Map<String, Value>| input.get(*field).and_then(Value::as_array).map_or(1, Vec::len);
        if inputs.iter().map(entries).sum::<usize>() > MOST {
            return Err(format!("it stands for more than {MOST} calls"));
        }
        let spread: Result<Vec<_>, String> = inputs.iter().map(|input| spread(input, field)).collect();
        inputs = spread?.into_iter().flatten().collect();
    }
    let mut parts = Vec::new();
    for input in inputs {
        let others = other_files(row, &input);
        let also_read = also_read(row, &input);
        let of = |tool, input| CallPart { tool, input, directory: None };
        parts.push(of(row.ours, input.clone()));
        for file in others {
            let mut input = input.clone();
            input.insert(FILE.to_owned(), json!(file));
            parts.push(of(row.ours, input));
        }
        parts.extend(also_read.map(|file| of("Read", Map::from_iter([(FILE.to_owned(), file)]))));
    }
    Ok(parts)
}

/// Returns the input once for each value of a field, which is a text or a list of texts and objects.
fn spread(input: &Map<String, Value>, field: &str) -> Result<Vec<Map<String, Value>>, String> {
    let mut rest = input.clone();
    let items = match rest.shift_remove(field) {
        None | Some(Value::Null) => return Ok(vec![rest]),
        Some(Value::String(_)) => return Ok(vec![input.clone()]),
        Some(Value::Array(items)) if items.is_empty() => return Ok(vec![rest]),
        Some(Value::Array(items)) => items,
        Some(item) => vec![item],
    };
    items.iter().map(|item| entry(item, &rest, field)).collect()
}

/// Returns the input for one entry of a list, a text or an object that has it.
fn entry(item: &Value, rest: &Map<String, Value>, field: &str) -> Result<Map<String, Value>, String> {
    let no_text = || format!("an entry of the list for `{field}` has no text");
    let object = match item {
        Value::String(text) => return with(rest, field, text),
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return Err(no_text()),
    };
    let names: &Keys = if field == FILE { &[("path", FILE)] } else { &[] };
    let mut input = keys::ours(object, names)?;
    if !input.get(field).is_some_and(Value::is_string) {
        return Err(no_text());
    }
    for (key, value) in rest {
        put(&mut input, key, value)?;
    }
    Ok(input)
}

/// Returns an input with one more text.
fn with(input: &Map<String, Value>, key: &str, text: &str) -> Result<Map<String, Value>, String> {
    let mut whole = Map::from_iter([(key.to_owned(), json!(text))]);
    for (key, value) in input {
        put(&mut whole, key, value)?;
    }
    Ok(whole)
}

/// Returns the files that parts of an edit name, besides the file of the whole.
fn other_files(row: &ToolRow, input: &Map<String, Value>) -> Vec<String> {
    let names: Vec<&str> =
        row.keys.iter().filter(|(_, ours)| *ours == FILE).map(|(theirs, _)| *theirs).chain([FILE]).collect();
    let mut found = Vec::new();
    if row.class == ToolClass::Write && input.contains_key(FILE) {
        input.values().for_each(|value| add_files(value, &names, &mut found));
        found.retain(|file| input.get(FILE).and_then(Value::as_str) != Some(file));
    }
    found
}

fn add_files(value: &Value, names: &[&str], found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value.as_str().filter(|_| names.contains(&key.as_str())) {
                    Some(file) if !found.iter().any(|known| known == file) => found.push(file.to_owned()),
                    Some(_) => {}
                    None => add_files(value, names, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_files(item, names, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the file that a tool reads whose own name no rule about files covers.
fn also_read(row: &ToolRow, input: &Map<String, Value>) -> Option<Value> {
    let is_covered = matches!(row.ours, "Read" | "Glob" | "Grep" | "LS");
    input.get(FILE).filter(|file| row.class == ToolClass::Read && !is_covered && file.is_string()).cloned()
}

/// Returns an input for each path under all of these keys.
fn paths(input: &Map<String, Value>, names: &[&str], row: &Keys) -> Result<Vec<Map<String, Value>>, String> {
    let (mut rest, mut items) = (Map::new(), Vec::new());
    for (key, value) in input {
        if !names.contains(&key.as_str()) {
            rest.insert(key.clone(), value.clone());
        } else if let Value::Array(more) = value {
            items.extend(more.iter().cloned());
        } else if !is_empty(value) {
            items.push(value.clone());
        }
    }
    if items.is_empty() {
        return Err(format!("`{}` is not a list of paths", names.join("` or `")));
    }
    let rest = keys::ours(&rest, row)?;
    items.iter().map(|item| entry(item, &rest, FILE)).collect()
}

/// Adds the pattern of a path that stands for several files, under a key by which rules read it.
fn pattern(input: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let path = input.get(FILE).and_then(Value::as_str).unwrap_or_default();
    if !path.contains(['*', '?', '[', '{', '(', '\\', '!']) {
        return Ok(input);
    }
    let mut input = input.clone();
    put(&mut input, "glob", &json!(path))?;
    Ok(input)
}

/// Returns an input for each URL in a text, and for the one under `url`.
fn urls(input: &Map<String, Value>, key: &str, row: &Keys) -> Result<Vec<Map<String, Value>>, String> {
    let mut rest = keys::ours(input, row)?;
    let mut found = Vec::new();
    if let Some(url) = rest.shift_remove("url").filter(|url| !is_empty(url)) {
        found.push(url.as_str().ok_or("`url` is not a text")?.to_owned());
    }
    let text = rest.get(key).and_then(Value::as_str).unwrap_or_default();
    let starts = text.match_indices("://").filter_map(|(at, _)| {
        let before = text.get(..at)?.to_ascii_lowercase();
        ["https", "http"].into_iter().find(|scheme| before.ends_with(scheme)).map(|scheme| at - scheme.len())
    });
    for start in starts {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '(' | ')');
        let url = text.get(start..).unwrap_or_default().split(is_end).next().unwrap_or_default().to_owned();
        if !found.contains(&url) {
            found.push(url);
        }
    }
    if found.is_empty() {
        return Err(format!("neither `url` nor `{key}` has a URL"));
    }
    found.iter().map(|url| with(&rest, "url", url)).collect()
}

/// Returns a call for each file of a patch.
fn patched(row: &ToolRow, input: &Map<String, Value>, key: &str, cwd: &str) -> Result<Vec<CallPart>, String> {
    let text = input.get(key).and_then(Value::as_str).ok_or_else(|| format!("`{key}` is not a text"))?;
    let changes = patch::read(text).map_err(|error| error.to_string())?;
    let mut rest = input.clone();
    rest.shift_remove(key);
    let rest = keys::ours(&rest, row.keys)?;
    let with_rest = |mut part: CallPart| {
        for (key, value) in &rest {
            put(&mut part.input, key, value)?;
        }
        Ok(part)
    };
    changes.into_iter().map(|change| edit(change, cwd)).map(with_rest).collect()
}

/// Returns the calls of an input with a patch and perhaps a file beside it: the agent uses one of them.
fn patch_and_one(
    row: &ToolRow,
    input: &Map<String, Value>,
    key: &str,
    cwd: &str,
) -> Result<Vec<CallPart>, String> {
    let ours = keys::ours(input, row.keys)?;
    if ours.get(FILE).is_none_or(is_empty) {
        return patched(row, input, key, cwd);
    }
    let patch = input.get(key).cloned().unwrap_or_default();
    let mut parts = patched(row, &Map::from_iter([(key.to_owned(), patch)]), key, cwd)?;
    parts.extend(one(row, input)?);
    Ok(parts)
}

/// Returns the change of a file as a call of Write or Edit. A deletion is an edit that leaves nothing.
fn edit(change: FileChange, cwd: &str) -> CallPart {
    let path = |path: String| if path.starts_with('/') { path } else { format!("{cwd}/{path}") };
    let (tool, input) = match change {
        FileChange::Write { path: file, content } => {
            ("Write", json!({"file_path": path(file), "content": content}))
        }
        FileChange::Edit { path: file, old, new } => (
            "Edit",
            json!({"file_path": path(file), "old_string": old, "new_string": new, "replace_all": false}),
        ),
        FileChange::Delete { path: file } => (
            "Edit",
            json!({"file_path": path(file), "old_string": "", "new_string": "", "replace_all": true}),
        ),
    };
    let input = if let Value::Object(input) = input { input } else { Map::new() };
    CallPart { tool, input, directory: None }
}
