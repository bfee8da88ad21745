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

/// The maximum number of calls that one call may stand for: all of them are judged within the agent's limit.
pub(crate) const MOST: usize = 1000;

/// Reads the input of a call by the row of its tool.
pub(super) fn parts(row: &ToolRow, input: &Map<String, Value>, cwd: &str) -> Result<Vec<CallPart>, String> {
    let part = |input| CallPart { tool: row.ours, input, directory: None };
    let parts: Vec<CallPart> = match row.shape {
        CallShape::One => one(row, input)?,
        CallShape::Commands(names) => {
            let rest = keys::ours(&without_commands(input, names), row.keys)?;
            let lines = commands(input, names)?;
            check_count(lines.len())?;
            let calls = lines.iter().map(|command| with(&rest, "command", &command.line).map(part));
            calls.collect::<Result<_, _>>()?
        }
        CallShape::Paths(names) => paths(input, names, row.keys)?.into_iter().map(part).collect(),
        CallShape::Patterns(names) => {
            let files = paths(input, names, row.keys)?.into_iter().map(pattern);
            files.map(|input| input.map(part)).collect::<Result<_, _>>()?
        }
        CallShape::Search(key) => search(row, input, key)?,
        CallShape::Urls(key) => urls(input, key, row.keys)?.into_iter().map(part).collect(),
        CallShape::Patch(key) => patched(row, input, key, cwd)?,
        CallShape::PatchOrOne(key) if input.get(key).is_none_or(is_empty) => one(row, input)?,
        CallShape::PatchOrOne(key) => patch_and_one(row, input, key, cwd)?,
    };
    let is_command = row.class == ToolClass::Shell;
    let directories = if is_command { directories(row.directory, input, cwd)? } else { vec![None] };
    check_count(parts.len() * directories.len())?;
    if directories == [None] {
        return Ok(parts);
    }
    let in_directory = |directory: Option<String>| {
        parts.iter().cloned().map(move |part| CallPart { directory: directory.clone(), ..part })
    };
    Ok(directories.into_iter().flat_map(in_directory).collect())
}

/// Checks the number of calls before the rest of the input is copied for each.
fn check_count(count: usize) -> Result<(), String> {
    match count > MOST {
        true => Err(format!("it contains {count} calls; becket checks at most {MOST} together, so split it")),
        false => Ok(()),
    }
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
        check_count(inputs.iter().map(entries).sum())?;
        let spread: Result<Vec<_>, String> = inputs.into_iter().map(|input| spread(input, field)).collect();
        inputs = spread?.into_iter().flatten().collect();
    }
    let mut parts = Vec::new();
    for input in inputs {
        let others = other_files(row, &input);
        let also_read = also_read(row, &input);
        check_count(parts.len() + 1 + others.len())?;
        let of = |tool, input| CallPart { tool, input, directory: None };
        let with_file = |file| {
            let mut input = input.clone();
            input.insert(FILE.to_owned(), json!(file));
            of(row.ours, input)
        };
        let others: Vec<CallPart> = others.into_iter().map(with_file).collect();
        parts.push(of(row.ours, input));
        parts.extend(others);
        parts.extend(also_read.map(|file| of("Read", Map::from_iter([(FILE.to_owned(), file)]))));
    }
    Ok(parts)
}

/// Returns a search in files, a search for files, or both if the value under `key` does not tell which.
fn search(row: &ToolRow, input: &Map<String, Value>, key: &str) -> Result<Vec<CallPart>, String> {
    let tools: &[&'static str] = match input.get(key) {
        None | Some(Value::Null) => &["Grep"],
        Some(target) if target == "content" || target == "grep" => &["Grep"],
        Some(target) if target == "files" || target == "find" => &["Glob"],
        Some(_) => &["Grep", "Glob"],
    };
    let of = |tool: &&'static str| one(&ToolRow { ours: tool, ..*row }, input);
    let parts: Result<Vec<_>, String> = tools.iter().map(of).collect();
    Ok(parts?.into_iter().flatten().collect())
}

/// Returns the input once for each value of a field, which is a text or a list of texts and objects.
fn spread(mut rest: Map<String, Value>, field: &str) -> Result<Vec<Map<String, Value>>, String> {
    if rest.get(field).is_some_and(Value::is_string) {
        return Ok(vec![rest]);
    }
    let items = match rest.shift_remove(field) {
        None | Some(Value::Null) => return Ok(vec![rest]),
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

/// Adds the files below a value; more than can be checked end the search.
fn add_files(value: &Value, names: &[&str], found: &mut Vec<String>) {
    if found.len() > MOST {
        return;
    }
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
            items.extend(more);
        } else if !is_empty(value) {
            items.push(value);
        }
    }
    if items.is_empty() {
        return Err(format!("`{}` is not a list of paths", names.join("` or `")));
    }
    check_count(items.len())?;
    let rest = keys::ours(&rest, row)?;
    items.iter().map(|item| entry(item, &rest, FILE)).collect()
}

/// Adds the pattern of a path that stands for several files, under a key by which rules read it.
fn pattern(mut input: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let path = input.get(FILE).and_then(Value::as_str).unwrap_or_default();
    if !path.contains(['*', '?', '[', '{', '(', '\\', '!']) {
        return Ok(input);
    }
    let path = json!(path);
    put(&mut input, "glob", &path)?;
    Ok(input)
}

/// Returns an input for each URL in a text, and for the one under `url`.
pub(super) fn urls(
    input: &Map<String, Value>,
    key: &str,
    row: &Keys,
) -> Result<Vec<Map<String, Value>>, String> {
    let mut rest = keys::ours(input, row)?;
    let given = rest.shift_remove("url").filter(|url| !is_empty(url));
    let mut found: Vec<&str> = Vec::new();
    if let Some(url) = &given {
        found.push(url.as_str().ok_or("`url` is not a text")?);
    }
    for url in urls_in(rest.get(key).and_then(Value::as_str).unwrap_or_default()) {
        if !found.contains(&url) {
            found.push(url);
        }
    }
    check_count(found.len())?;
    if found.is_empty() {
        return Err(format!("neither `url` nor `{key}` has a URL"));
    }
    found.iter().map(|url| with(&rest, "url", url)).collect()
}

/// Returns each URL in a text, at most one more than can be checked.
pub(crate) fn urls_in(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let starts = text.match_indices("://").filter_map(|(at, _)| {
        let is_scheme = |scheme: &&str| {
            let before = at.checked_sub(scheme.len()).and_then(|from| text.get(from..at));
            before.is_some_and(|before| before.eq_ignore_ascii_case(scheme))
        };
        ["https", "http"].into_iter().find(is_scheme).map(|scheme| at - scheme.len())
    });
    for start in starts {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '(' | ')');
        let url = text.get(start..).unwrap_or_default().split(is_end).next().unwrap_or_default();
        if !found.contains(&url) {
            found.push(url);
        }
        if found.len() > MOST {
            break;
        }
    }
    found
}

/// Returns a call for each file of a patch.
fn patched(row: &ToolRow, input: &Map<String, Value>, key: &str, cwd: &str) -> Result<Vec<CallPart>, String> {
    let text = input.get(key).and_then(Value::as_str).ok_or_else(|| format!("`{key}` is not a text"))?;
    let changes = patch::read(text).map_err(|error| error.to_string())?;
    check_count(changes.len())?;
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
