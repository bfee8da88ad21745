//! `becket input`: a field of the hook input on stdin, for hooks that are shell scripts.

use crate::args::InputArgs;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::plain;
use serde_json::Value;
use std::io::{self, Read};

/// Prints a field. Exits with 1 if there is none, and with 2, which blocks, if stdin is not the input of a hook.
pub(crate) fn run(args: &InputArgs, around: &Surroundings, out: &Out) -> CommandResult {
    if around.terminals.stdin {
        return Err(CliError::StdinIsTerminal { what: "the input of a hook" });
    }
    let mut text = Vec::new();
    let limit = becket_base::text_file::LIMIT;
    io::stdin().lock().take(limit + 1).read_to_end(&mut text).map_err(CliError::Stdin)?;
    if text.len() as u64 > limit {
        return Err(CliError::usage("the input on stdin is larger than 64 MiB"));
    }
    let input: Value = serde_json::from_slice(&text)
        .map_err(|error| CliError::usage(format!("stdin is not the input of a hook: {error}")))?;
    if !input.is_object() {
        return Err(CliError::usage("stdin is not the input of a hook: it is not a JSON object"));
    }
    let found = field(&input, &args.get).filter(|value| !value.is_null());
    let shown = match (found, &args.default) {
        (Some(Value::String(text)), _) => text.clone(),
        (Some(other), _) => other.to_string(),
        (None, Some(default)) => default.clone(),
        (None, None) => {
            if let Some(near) = near(&input, &args.get) {
                out.note(&format!("there is no field `{}`; did you mean `{near}`?\n", plain(&args.get)));
            }
            return Ok(1);
        }
    };
    out.answer(&format!("{shown}\n"))?;
    Ok(0)
}

/// Returns the path that was probably meant, if a key on the way is misspelt.
fn near(input: &Value, path: &str) -> Option<String> {
    let keys: Vec<&str> = path.split('.').collect();
    let known = (0..keys.len()).rev().map(|count| keys[..count].join("."));
    let (above, value) = known
        .filter_map(|above| {
            Some((above.clone(), if above.is_empty() { input } else { field(input, &above)? }))
        })
        .next()?;
    let names: Vec<&str> = value.as_object()?.keys().map(String::as_str).collect();
    let depth = if above.is_empty() { 0 } else { above.split('.').count() };
    let near = becket_base::suggest(keys.get(depth)?, &names)?;
    Some(if above.is_empty() { plain(near) } else { format!("{}.{}", plain(&above), plain(near)) })
}

/// Returns the value at a path; a number selects an element of a list.
fn field<'v>(input: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(input, |value, key| match value.as_array() {
        Some(list) => list.get(key.parse::<usize>().ok()?),
        None => value.get(key),
    })
}
