//! Opening a file for reading without blocking on its kind.
//!
//! INVARIANT: a pipe or a device is never waited for: an opened file does not block, and is a regular file or is given
//! back unread.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Kind of file at a path.
#[derive(Debug)]
pub enum OpenedFile {
    /// A file to be read.
    Regular(File),
    /// A directory.
    Directory,
    /// A pipe, a device, a socket.
    Special,
}

/// Opens what `path` leads to.
pub fn open(path: &Path) -> io::Result<OpenedFile> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without O_NONBLOCK a pipe without a writer would hold the thread for good; without O_NOCTTY a terminal could
        // become the
        // host's.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
        // A look first: to open some devices is to do something.
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
