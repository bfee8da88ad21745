//! The files that an input names.

use super::super::AcpError;
use crate::read::parts::MOST;
use serde_json::Value;

/// The keys of inputs that contain the path of the file.
pub(super) const PATHS: [&str; 9] = [
    "file_path",
    "filePath",
    "filepath",
    "path",
    "absolute_path",
    "absolutePath",
    "abs_path",
    "filename",
    "notebook_path",
];

/// The keys of inputs that contain further paths, or lists of them.
const FURTHER: [&str; 30] = [
    "paths",
    "files",
    "file",
    "file_paths",
    "filePaths",
    "filenames",
    "source",
    "src",
    "from",
    "to",
    "destination",
    "dest",
    "dst",
    "target",
    "old_path",
    "oldPath",
    "new_path",
    "newPath",
    "source_path",
    "sourcePath",
    "destination_path",
    "destinationPath",
    "target_file",
    "targetFile",
    "dir_path",
    "dirPath",
    "directory",
    "root",
    "move_path",
    "movePath",
];

/// Adds the files that an input names, at any depth.
///
/// # Errors
/// Errors if a path can't be read.
pub(super) fn add(input: &Value, cwd: &str, found: &mut Vec<String>) -> Result<(), AcpError> {
    match input {
        Value::Object(object) => object.iter().try_for_each(|(key, value)| match key.as_str() {
            // Codex: the changes, by the path of the file.
            "changes" if value.is_object() => {
                let files = value.as_object().into_iter().flatten();
                files.map(|(path, _)| path).try_for_each(|path| push(absolute(path, cwd)?, found))?;
                add(value, cwd, found)
            }
            key if PATHS.contains(&key) => add_named(value, true, cwd, found),
            key if FURTHER.contains(&key) => add_named(value, false, cwd, found),
            _ => add(value, cwd, found),
        }),
        Value::Array(items) => items.iter().try_for_each(|item| add(item, cwd, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// Adds the files of a value that has the key of a path.
fn add_named(value: &Value, is_certain: bool, cwd: &str, found: &mut Vec<String>) -> Result<(), AcpError> {
    match value {
        // A source or a target may be the address of a page, or a text.
        Value::String(path) if path.is_empty() || (!is_certain && is_address(path) && !is_file_url(path)) => {
            Ok(())
        }
        Value::String(path) if !is_certain && path.contains('\n') => Ok(()),
        Value::String(path) => push(absolute(path, cwd)?, found),
        Value::Array(items) => items.iter().try_for_each(|item| add_named(item, is_certain, cwd, found)),
        Value::Object(_) => add(value, cwd, found),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// Adds a path.
///
/// # Errors
/// Errors if there are more than can be checked.
pub(super) fn push(path: String, found: &mut Vec<String>) -> Result<(), AcpError> {
    if found.contains(&path) {
        return Ok(());
    }
    if found.len() == MOST {
        return Err(AcpError::TooMany);
    }
    found.push(path);
    Ok(())
}

/// Returns the path from the root.
///
/// # Errors
/// Errors if the path is an address: some readers take `file:///a` for `/a`, and others for a name.
pub(super) fn absolute(path: &str, cwd: &str) -> Result<String, AcpError> {
    check_path(path)?;
    Ok(if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") })
}

/// Errors if a path is an address.
pub(super) fn check_path(path: &str) -> Result<(), AcpError> {
    match is_address(path) {
        true => Err(AcpError::Field { field: "path", problem: "an address, not the path of a file" }),
        false => Ok(()),
    }
}

/// Returns true for a path that a reader may take for an address.
fn is_address(path: &str) -> bool {
    let path = path.trim_start();
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    is_file_url(path) || path.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
}

fn is_file_url(path: &str) -> bool {
    let parts = path.trim_start().split_once(':');
    parts.is_some_and(|(scheme, rest)| {
        scheme.eq_ignore_ascii_case("file") && !rest.starts_with(char::is_whitespace)
    })
}
