//! The contents of a directory that is moved or copied whole.

use std::path::{Path, PathBuf};

/// The most entries that are looked at.
const MOST: usize = 1_000;

/// Everything below a directory; `None` if it holds a link or too much, or can't be read.
pub(super) fn without_links(directory: &Path) -> Option<Vec<PathBuf>> {
    let (mut found, mut left) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(next) = left.pop() {
        for entry in next.read_dir().ok()? {
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            if found.len() >= MOST || !(kind.is_dir() || kind.is_file()) {
                return None;
            }
            if kind.is_dir() {
                left.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    Some(found)
}
