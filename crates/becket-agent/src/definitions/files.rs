//! The Markdown files below a directory, in path order.
//!
//! Links are followed, because people link shared files; depth and number are limited, so that a cycle of links ends.

use becket_engine::config::{Diagnostic, ReadError, Severity};
use becket_model::Source;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The maximum number of files in a directory.
const MOST: usize = 2000;
/// Maximum depth of the search for directories.
const DEEPEST: usize = 8;
/// The file that makes a directory a plugin.
const PLUGIN: &str = ".claude-plugin/plugin.json";

/// Files found by a search.
#[derive(Debug, Default)]
pub(crate) struct FoundFiles {
    /// The directory that was searched.
    pub(crate) root: PathBuf,
    /// The files, each below that directory.
    pub(crate) files: Vec<PathBuf>,
    /// Directories that could not be searched.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Returns the files below `place` for which `wanted` is true, or `place` itself if it is a file. A directory that does
/// not exist contains no files; a plugin in it is not searched, since its definitions are its own.
pub(crate) fn markdown(place: &Path, source: &Source, wanted: impl Fn(&Path) -> bool) -> FoundFiles {
    if let (true, Some(root), Some(name)) = (place.is_file(), place.parent(), place.file_name()) {
        let files = if wanted(place) { vec![name.into()] } else { Vec::new() };
        return FoundFiles { root: root.to_owned(), files, diagnostics: Vec::new() };
    }
    let directory = place;
    let mut found = FoundFiles { root: directory.to_owned(), ..FoundFiles::default() };
    let mut pending = vec![(PathBuf::new(), 0)];
    let mut looked_at = 0;
    while let Some((below, depth)) = pending.pop() {
        let entries = match names(&directory.join(&below)) {
            Ok(entries) => entries,
            Err(error) => {
                let message = format!("this directory can't be read, so nothing in it is loaded: {error}");
                found.diagnostics.push(about(
                    &directory.join(&below),
                    source,
                    "unreadable-directory",
                    message,
                ));
                continue;
            }
        };
        for name in entries {
            looked_at += 1;
            if looked_at > MOST {
                let message = format!("there are more than {MOST} files in here, and the rest is not loaded");
                found.diagnostics.push(about(directory, source, "too-many-files", message));
                found.files.sort();
                return found;
            }
            let path = below.join(name);
            if directory.join(&path).is_dir() {
                if depth < DEEPEST && !directory.join(&path).join(PLUGIN).is_file() {
                    pending.push((path, depth + 1));
                }
            } else if wanted(&path) {
                found.files.push(path);
            }
        }
    }
    found.files.sort();
    found
}

/// Returns whether a path is that of a Markdown file.
pub(crate) fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// Returns the names in a directory, without hidden ones.
fn names(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let names: io::Result<Vec<_>> = entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
    let hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    Ok(names?.into_iter().filter(|name| !hidden(name)).map(PathBuf::from).collect())
}

/// Returns the diagnostic for a file that can't be read.
pub(crate) fn unreadable(file: &Path, source: &Source, error: &ReadError) -> Diagnostic {
    about(file, source, "unreadable-file", format!("this file can't be read: {error}"))
}

fn about(file: &Path, source: &Source, code: &'static str, message: String) -> Diagnostic {
    Diagnostic::new(Severity::Error, code, message, file.into(), source.clone()).with_rule("C7")
}
