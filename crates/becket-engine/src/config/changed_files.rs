//! The settings files of one source whose change hooks judge (C8): read before the hooks start, and again when the change
//! would take effect. A file that is written in between was not judged.
//!
//! INVARIANT: the texts that take effect are those that were compared; nothing is read after that.

use super::load::{Layer, LoadedFiles, placed};
use super::request::Request;
use becket_model::Source;
use std::path::{Path, PathBuf};

/// The files of a source, as they were at one moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChangedFiles {
    pub(super) source: Source,
    pub(super) layers: Vec<Layer>,
    marks: Vec<FileMark>,
}

/// The state of a file that differs after each write, even of the same text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileMark {
    file: PathBuf,
    #[cfg(unix)]
    identity: Option<(u64, u64, i64, i64)>,
    #[cfg(not(unix))]
    identity: Option<std::time::SystemTime>,
}

impl ChangedFiles {
    /// Reads the files of a source.
    pub(crate) fn read(request: &Request, source: &Source) -> Self {
        let mark =
            |layer: &Layer| FileMark { file: layer.file.to_path_buf(), identity: identity(&layer.file) };
        let layers = placed(request, source);
        let marks = layers.iter().map(mark).collect();
        ChangedFiles { source: source.clone(), layers, marks }
    }

    /// Returns the configuration with these files in place of those of their source, and everything else as it was read.
    pub(crate) fn in_place(self, old: &LoadedFiles) -> LoadedFiles {
        super::load::load_changed(old, self)
    }
}

/// Returns the file system's number of a file and the time of its last change; `None` if there is no file.
#[cfg(unix)]
fn identity(file: &Path) -> Option<(u64, u64, i64, i64)> {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata().ok()?;
    Some((found.dev(), found.ino(), found.ctime(), found.ctime_nsec()))
}

#[cfg(not(unix))]
fn identity(file: &Path) -> Option<std::time::SystemTime> {
    file.metadata().ok()?.modified().ok()
}
