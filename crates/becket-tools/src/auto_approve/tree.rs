//! The contents of a directory that is moved or copied whole.

use std::path::{Path, PathBuf};

/// The maximum number of entries that are examined.
const MOST: usize = 1_000;

/// Returns everything below a directory; `None` if it contains a link or too many entries, or can't be read.
pub(super) fn without_links(directory: &Path) -> Option<Vec<PathBuf>> {
    let (mut found, mut pending) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(next) = pending.pop() {
        for entry in next.read_dir().ok()? {
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            if found.len() >= MOST || !(kind.is_dir() || kind.is_file()) {
                return None;
            }
            if kind.is_dir() {
                pending.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    Some(found)
}
