//! Opens files for reading without blocking on special ones.
//!
//! INVARIANT: opening never waits for a pipe or a device: an opened file does not block, and is either a regular file
//! or returned unread.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// The kind of file at a path.
#[derive(Debug)]
pub enum OpenedFile {
    /// A file to read.
    Regular(File),
    /// A directory.
    Directory,
    /// A pipe, a device or a socket.
    Special,
}

/// Opens the file that `path` leads to.
pub fn open(path: &Path) -> io::Result<OpenedFile> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without O_NONBLOCK a pipe without a writer would block the thread forever; without O_NOCTTY a terminal could
        // become the host's.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
        // Checked before opening, since opening some devices has side effects.
        let before = std::fs::metadata(path)?;
        if !before.is_file() {
            return Ok(if before.is_dir() { OpenedFile::Directory } else { OpenedFile::Special });
        }
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    Ok(match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => OpenedFile::Regular(file),
        (_, true) => OpenedFile::Directory,
        (false, false) => OpenedFile::Special,
    })
}
