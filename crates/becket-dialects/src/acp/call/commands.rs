//! The commands that an input names.

use super::{Part, object};
use crate::quoted::quoted;
use crate::read::parts::MOST;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The keys of inputs that contain a line, or a program with its arguments.
const LINES: [&str; 9] = [
    "command",
    "cmd",
    "script",
    "command_line",
    "commandLine",
    "shell_command",
    "shellCommand",
    "program",
    "executable",
];
/// The key of a list of commands.
const LIST: &str = "commands";
/// The keys of inputs that contain further arguments.
const ARGUMENTS: [&str; 3] = ["args", "arguments", "argv"];

/// Returns each line that an input may mean; `None` if a command can't be read.
pub(super) fn lines(input: Option<&Value>) -> Option<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    match input {
        Some(Value::String(line)) => found.push(line.clone()),
        Some(Value::Object(input)) => {
            for command in LINES.iter().filter_map(|key| input.get(*key)) {
                found.extend(lines_of(command, input)?);
            }
            match input.get(LIST) {
                Some(Value::Array(items)) => {
                    for item in items {
                        found.extend(lines(Some(item))?);
                    }
                }
                Some(other) if !other.is_null() => found.extend(lines(Some(other))?),
                Some(_) | None => {}
            }
        }
        Some(Value::Array(items)) => found.push(line_of(&words(items)?)),
        Some(Value::Bool(_) | Value::Number(_)) => return None,
        Some(Value::Null) | None => {}
    }
    let mut seen = HashSet::new();
    found.retain(|line| !line.trim().is_empty() && seen.insert(line.clone()));
    Some(found)
}

/// Returns a command alone, and with the arguments beside it: an agent may ignore either of them.
fn lines_of(command: &Value, input: &Map<String, Value>) -> Option<Vec<String>> {
    let (alone, program) = match command {
        Value::Null => return Some(Vec::new()),
        Value::String(line) => (line.clone(), vec![line.as_str()]),
        Value::Array(items) => (line_of(&words(items)?), words(items)?),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let mut found = vec![alone];
    for arguments in ARGUMENTS.iter().filter_map(|key| input.get(*key)) {
        match arguments {
            Value::Array(items) if !items.is_empty() => {
                found.push(line_of(&[program.as_slice(), &words(items)?].concat()));
            }
            Value::String(text) if !text.trim().is_empty() => found.push(format!("{} {text}", found[0])),
            Value::Number(_) | Value::Bool(_) => return None,
            // The arguments of a server's tool.
            Value::Array(_) | Value::String(_) | Value::Object(_) | Value::Null => {}
        }
    }
    Some(found)
}

fn words(items: &[Value]) -> Option<Vec<&str>> {
    items.iter().map(Value::as_str).collect()
}

/// Returns the line of a program with its arguments. Scripts of shells stay arguments: rules look into them.
pub(super) fn line_of(words: &[&str]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Returns each line in each directory, at most one more than can be judged.
pub(super) fn parts(lines: &[String], directories: &[Option<String>]) -> Vec<Part> {
    let part = |line: &String, directory: &Option<String>| Part {
        directory: directory.clone(),
        ..Part::new("Bash", object([("command", json!(line))]))
    };
    let all = directories.iter().flat_map(|directory| lines.iter().map(move |line| part(line, directory)));
    all.take(MOST + 1).collect()
}
