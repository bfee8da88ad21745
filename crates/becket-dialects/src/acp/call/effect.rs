//! Requests by which an agent has the editor read, write or run something.

use super::commands::{self, line_of};
use super::paths::check_path;
use super::{AcpCall, Part, is_number, numbered, object};
use crate::acp::AcpError;
use crate::quoted::quoted;
use crate::read::directory::directories;
use serde_json::{Map, Value, json};

/// Reads a request of the agent that has the editor read, write or run something, as the calls that it stands for;
/// `None` for any other. `cwd` is the directory of the session.
///
/// # Errors
/// Errors if a field is missing or can't be read.
pub fn effect_call(
    method: &str,
    params: &Map<String, Value>,
    id: &str,
    cwd: &str,
) -> Result<Option<Vec<AcpCall>>, AcpError> {
    let path = || {
        let path = text(params, "path")?;
        check_path(path)?;
        Ok(("file_path", json!(path)))
    };
    let parts = match method {
        "fs/write_text_file" => {
            let content = ("content", json!(text(params, "content")?));
            vec![Part::new("Write", object([path()?, content]))]
        }
        "fs/read_text_file" => vec![Part::new("Read", object([path()?]))],
        "terminal/create" => terminal(params, cwd)?,
        _ => return Ok(None),
    };
    Ok(Some(numbered(parts, id)))
}

/// Returns the command of a terminal, and also with its environment if that may change what it does.
fn terminal(params: &Map<String, Value>, cwd: &str) -> Result<Vec<Part>, AcpError> {
    let words = match params.get("args") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(args) => args.as_array().and_then(|args| args.iter().map(Value::as_str).collect()),
    };
    let words = words.ok_or(AcpError::missing("args"))?;
    let all: Vec<&str> = std::iter::once(text(params, "command")?).chain(words).collect();
    // A command without arguments is a line for a shell in the terminals of editors.
    let line = if all.len() == 1 { all.concat() } else { line_of(&all) };
    let exported = exports(params.get("env"))?.map(|exports| format!("{exports}; {line}"));
    let lines: Vec<String> = std::iter::once(line).chain(exported).collect();
    let directories = directories(&["cwd"], params, cwd).map_err(|_| AcpError::missing("cwd"))?;
    Ok(commands::parts(&lines, &directories))
}

/// Returns the command of a shell that sets the environment; `None` if no value could name a program or a file, as in
/// the marks that agents set (`CLAUDECODE=1`).
fn exports(env: Option<&Value>) -> Result<Option<String>, AcpError> {
    let missing = AcpError::missing("env");
    let variables = match env {
        None | Some(Value::Null) => return Ok(None),
        Some(env) => env.as_array().ok_or_else(|| missing.clone())?,
    };
    let (mut line, mut counts) = ("export".to_owned(), false);
    for variable in variables {
        let pair = variable["name"].as_str().zip(variable["value"].as_str());
        let (name, value) = pair.ok_or_else(|| missing.clone())?;
        if !is_name(name) {
            return Err(AcpError::Field {
                field: "env",
                problem: "a list with a name that a shell can't set",
            });
        }
        counts |= !value.is_empty() && !is_number(value);
        line.push_str(&format!(" {name}={}", quoted(value)));
    }
    Ok(counts.then_some(line))
}

/// Returns true for a name that a shell can set.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn text<'p>(params: &'p Map<String, Value>, key: &'static str) -> Result<&'p str, AcpError> {
    params.get(key).and_then(Value::as_str).ok_or(AcpError::missing(key))
}
