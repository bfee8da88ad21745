//! The index of a session's copies: one JSON object per line.

use becket_base::private_file;
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A line of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IndexEntry {
    /// The start of a checkpoint.
    Checkpoint { id: String },
    /// The state of a file at the last checkpoint: a copy, or `None` if there was no file.
    File { path: PathBuf, copy: Option<String> },
}

/// Reads an index; invalid lines are skipped.
pub(super) fn read(file: &Path) -> io::Result<Vec<IndexEntry>> {
    let text = match fs::read(file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    Ok(text.lines().filter_map(|line| entry(&serde_json::from_str(line).ok()?)).collect())
}

/// Appends an entry on a new line, even after an incomplete line.
pub(super) fn append(file: &Path, entry: &IndexEntry) -> io::Result<()> {
    let line = match entry {
        IndexEntry::Checkpoint { id } => json!({"checkpoint": id}),
        IndexEntry::File { path, copy } => json!({"file": path.to_str(), "copy": copy}),
    };
    private_file::create_parent(file)?;
    let mut options = private_file::options();
    let mut file = options.append(true).create(true).open(file)?;
    let before = if file.metadata()?.len() == 0 { "" } else { "\n" };
    file.write_all(format!("{before}{line}").as_bytes())
}

fn entry(line: &Value) -> Option<IndexEntry> {
    if let Some(id) = line["checkpoint"].as_str() {
        return Some(IndexEntry::Checkpoint { id: id.to_owned() });
    }
    let copy = line.get("copy")?.as_str().map(str::to_owned);
    // A copy is only a file name in the directory.
    let is_name = |name: &String| name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let path = PathBuf::from(line["file"].as_str()?);
    (path.is_absolute() && copy.as_ref().is_none_or(is_name)).then_some(IndexEntry::File { path, copy })
}
