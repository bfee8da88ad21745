//! The transcripts below a directory.

use std::io;
use std::path::{Path, PathBuf};

/// Returns the transcripts of a file or a directory, those of subagents included, by their paths.
///
/// # Errors
/// Errors if there is no such file or directory, or one below it can't be listed.
pub fn find(path: &Path) -> io::Result<Vec<PathBuf>> {
    if path.metadata()?.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut directories = vec![path.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in directory.read_dir()? {
            let entry = entry?;
            // A link could lead in a circle.
            let kind = entry.file_type()?;
            if kind.is_dir() {
                directories.push(entry.path());
            } else if kind.is_file() && entry.path().extension().is_some_and(|ending| ending == "jsonl") {
                found.push(entry.path());
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}
