//! The stamps of a directory's files, which detect a change without reading the files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The stamps of all files and directories below a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileStamps(BTreeMap<PathBuf, FileStamp>);

/// The metadata of a file. The time of its last change of any kind can't be set by a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    length: u64,
    modified: Option<SystemTime>,
    changed: ChangeTime,
}

/// Seconds and nanoseconds of the last change of a file or its attributes.
#[cfg(unix)]
type ChangeTime = [i64; 2];
#[cfg(not(unix))]
type ChangeTime = ();

impl FileStamps {
    /// Reads the stamps below a root.
    ///
    /// # Errors
    /// Errors if a directory can't be listed.
    pub(crate) fn read(root: &Path) -> io::Result<Self> {
        let mut stamps = BTreeMap::new();
        let mut directories = vec![root.to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                // For a link, its own metadata.
                let metadata = entry.metadata()?;
                if metadata.is_dir() {
                    directories.push(entry.path());
                }
                stamps.insert(entry.path(), FileStamp::of(&metadata));
            }
        }
        Ok(FileStamps(stamps))
    }
}

impl FileStamp {
    fn of(metadata: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt;
            [metadata.ctime(), metadata.ctime_nsec()]
        };
        #[cfg(not(unix))]
        let changed = ();
        FileStamp { length: metadata.len(), modified: metadata.modified().ok(), changed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_below_the_root_is_seen() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("sub/a.txt");
        fs::create_dir(root.path().join("sub")).unwrap();
        fs::write(&file, "one").unwrap();
        let read = || FileStamps::read(root.path()).unwrap();
        let before = read();
        assert_eq!(before, read());
        // A file whose time is set back.
        let time = fs::metadata(&file).unwrap().modified().unwrap();
        fs::write(&file, "three").unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        assert_ne!(before, read());
        let before = read();
        fs::create_dir(root.path().join("new")).unwrap();
        assert_ne!(before, read());
        fs::remove_dir(root.path().join("new")).unwrap();
        fs::remove_file(&file).unwrap();
        assert_ne!(before, read());
    }
}
