//! Files of a test, compared as a whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns everything below a directory, by path; a directory has no content.
#[must_use]
pub fn tree(root: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let is_directory = path.is_dir();
            found.insert(path.clone(), (!is_directory).then(|| fs::read(&path).expect("a file")));
            directories.extend(is_directory.then_some(path));
        }
    }
    found
}
