//! Reads texts from arguments, files and stdin: with a limit, never from an idle terminal, and never from a pipe or a
//! device instead of a file.

use crate::env::Surroundings;
use crate::error::CliError;
use becket_base::text_file;
use serde_json::{Map, Value};
use std::io::Read;
use std::path::Path;

pub(crate) use becket_base::text_file::LIMIT;

/// Reads `JSON|@FILE|-` as an object; `what` names the argument.
///
/// # Errors
/// Errors if the text can't be read, or is not a JSON object.
pub(crate) fn json_object(
    what: &'static str,
    given: &str,
    start: &Path,
    around: &Surroundings,
) -> Result<Map<String, Value>, CliError> {
    let text = match given.strip_prefix('@') {
        Some(path) => text_file::read(&start.join(path))?,
        None if given == "-" => utf8(stdin("the input as JSON", around)?, "stdin")?,
        None => given.to_owned(),
    };
    let value: Value = serde_json::from_str(&text).map_err(|error| CliError::InputNotJson {
        what,
        why: error.to_string(),
        example: None,
    })?;
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Null => Err(CliError::InputNotAnObject { what, got: "null" }),
        Value::Bool(_) => Err(CliError::InputNotAnObject { what, got: "a boolean" }),
        Value::Number(_) => Err(CliError::InputNotAnObject { what, got: "a number" }),
        Value::String(_) => Err(CliError::InputNotAnObject { what, got: "a string" }),
        Value::Array(_) => Err(CliError::InputNotAnObject { what, got: "a list" }),
    }
}

/// Returns all of stdin.
///
/// # Errors
/// Errors if stdin is a terminal, larger than [`LIMIT`], or can't be read.
pub(crate) fn stdin(what: &'static str, around: &Surroundings) -> Result<Vec<u8>, CliError> {
    if around.terminals.stdin {
        return Err(CliError::StdinIsTerminal { what });
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(LIMIT + 1).read_to_end(&mut bytes).map_err(CliError::Stdin)?;
    within_limit(bytes, "stdin")
}

fn within_limit(bytes: Vec<u8>, what: &str) -> Result<Vec<u8>, CliError> {
    if bytes.len() as u64 > LIMIT {
        return Err(CliError::TooLarge { what: what.to_owned(), limit: LIMIT });
    }
    Ok(bytes)
}

pub(crate) fn utf8(bytes: Vec<u8>, what: &str) -> Result<String, CliError> {
    String::from_utf8(bytes)
        .map_err(|error| CliError::NotUtf8 { what: what.to_owned(), at: error.utf8_error().valid_up_to() })
}
