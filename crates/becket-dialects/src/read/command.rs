//! The commands of a call: lines of a shell, or programs with their arguments.

use super::keys::is_empty;
use crate::quoted::quoted;
use serde_json::{Map, Value, json};

/// One command of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Command {
    /// The line of a shell that does the same.
    pub(super) line: String,
    /// The agent's form.
    pub(super) native: Value,
}

/// Returns the commands under all of `keys`, at least one. Each is a text, an object with a `command` and perhaps
/// `args`, or a list of both.
pub(super) fn commands(input: &Map<String, Value>, keys: &[&str]) -> Result<Vec<Command>, String> {
    let mut commands = Vec::new();
    for key in keys {
        let given = match input.get(*key) {
            None => continue,
            Some(given) if is_empty(given) => continue,
            // The program and its arguments may also be the input itself.
            Some(Value::String(program)) if *key == PROGRAM && input.contains_key(ARGUMENTS) => {
                vec![json!({PROGRAM: program, ARGUMENTS: input.get(ARGUMENTS)})]
            }
            Some(Value::Array(items)) => items.clone(),
            Some(other) => vec![other.clone()],
        };
        for item in given {
            let line = line(&item).map_err(|why| format!("an entry of `{key}` {why}"))?;
            commands.push(Command { line, native: item });
        }
    }
    match commands.is_empty() {
        true => Err(format!("`{}` is not a list of commands", keys.join("` or `"))),
        false => Ok(commands),
    }
}

/// Returns the input without its commands.
pub(super) fn without_commands(input: &Map<String, Value>, keys: &[&str]) -> Map<String, Value> {
    let is_program = keys.contains(&PROGRAM) && input.get(PROGRAM).is_some_and(Value::is_string);
    let is_command = |key: &str| keys.contains(&key) || (is_program && key == ARGUMENTS);
    input
        .iter()
        .filter(|(key, _)| !is_command(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

const PROGRAM: &str = "command";
const ARGUMENTS: &str = "args";

/// Returns the line of a shell that does the same as a command.
fn line(item: &Value) -> Result<String, String> {
    if let Value::String(line) = item {
        let nested: Option<Value> = serde_json::from_str(line).ok();
        return match nested.filter(|value| value.is_array() || value.is_object()) {
            Some(_) => {
                Err("is a text that contains JSON, which the agent may run as a list of commands".to_owned())
            }
            None => Ok(line.clone()),
        };
    }
    let object = item.as_object().ok_or("is neither a text nor an object")?;
    if let Some(other) = object.keys().find(|key| *key != PROGRAM && *key != ARGUMENTS) {
        return Err(format!("has the unknown key `{other}`"));
    }
    let program = object.get(PROGRAM).and_then(Value::as_str).ok_or("has no text as its `command`")?;
    let arguments = match object.get(ARGUMENTS) {
        None | Some(Value::Null) => return Ok(program.to_owned()),
        Some(Value::Array(arguments)) if arguments.is_empty() => return Ok(program.to_owned()),
        Some(Value::Array(arguments)) => arguments,
        Some(_) => return Err("has `args` that are not a list".to_owned()),
    };
    let words: Option<Vec<&str>> = arguments.iter().map(Value::as_str).collect();
    let words = words.ok_or("has an argument that is not a text")?;
    Ok(std::iter::once(program).chain(words).map(quoted).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[&str] = &["commands", "command", "cmd"];

    fn lines(input: Value) -> Result<Vec<String>, String> {
        let input = input.as_object().cloned().unwrap_or_default();
        Ok(commands(&input, KEYS)?.into_iter().map(|command| command.line).collect())
    }

    #[test]
    fn every_form_of_a_command_is_a_line_with_all_its_words() {
        for (input, expected) in [
            (
                json!({"commands": ["ls", {"command": "git", "args": ["push", "-f"]}]}),
                &["ls", "git push -f"][..],
            ),
            (json!({"commands": {"command": "ls"}}), &["ls"]),
            (json!({"commands": "ls"}), &["ls"]),
            (json!({"cmd": "ls"}), &["ls"]),
            (json!({"command": "bash", "args": ["-c", "git push"]}), &["bash -c 'git push'"]),
            (json!({"command": "echo", "args": ["it's", "", "*"]}), &[r"echo 'it'\''s' '' '*'"]),
            (json!({"commands": ["ls"], "command": "git push"}), &["ls", "git push"]),
            (json!({"commands": [{"command": "git status", "args": []}]}), &["git status"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|&line| line.to_owned()).collect();
            assert_eq!(lines(input.clone()), Ok(expected), "{input}");
        }
    }

    #[test]
    fn a_command_with_an_unknown_part_is_an_error() {
        for input in [
            json!({}),
            json!({"commands": []}),
            json!({"commands": [7]}),
            json!({"commands": [{"command": "ls", "cmd": "git push"}]}),
            json!({"commands": [{"command": "ls", "args": "push"}]}),
            json!({"commands": [{"command": "ls", "args": [["push"]]}]}),
            json!({"commands": [{"cmd": "ls"}]}),
            json!({"commands": "[\"git push\"]"}),
        ] {
            assert!(lines(input.clone()).is_err(), "{input}");
        }
    }
}
