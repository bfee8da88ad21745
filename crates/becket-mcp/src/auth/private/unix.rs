//! Owners and modes of files.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::process::geteuid;

use super::FileError;

/// The bits of a flag that the standard library lacks, in its own type.
#[expect(clippy::cast_possible_wrap, reason = "no flag uses the highest bit")]
fn no_follow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits() as i32
}

/// Opens a file for reading. A symbolic link is refused, even one that was just created.
pub(super) fn open(path: &Path) -> Result<File, FileError> {
    opened(path, OpenOptions::new().read(true).custom_flags(no_follow()))
}

/// Opens the file of a lock, created if it is missing. A symbolic link is refused: its target would be created.
pub(super) fn open_lock(path: &Path) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(no_follow());
    opened(path, &options)
}

fn opened(path: &Path, options: &OpenOptions) -> Result<File, FileError> {
    match options.open(path) {
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            Err(FileError::Symlink { path: path.to_owned() })
        }
        opened => opened.map_err(FileError::io("opened", path)),
    }
}

/// Checks that an open file belongs to this user and is not accessible to others.
pub(super) fn check(path: &Path, file: &File) -> Result<(), FileError> {
    let opened = file.metadata().map_err(FileError::io("looked at", path))?;
    if !opened.is_file() {
        return Err(FileError::NoFile { path: path.to_owned() });
    }
    if opened.uid() != geteuid().as_raw() {
        return Err(FileError::Owner { path: path.to_owned(), owner: opened.uid() });
    }
    let mode = opened.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(FileError::Mode { path: path.to_owned(), mode });
    }
    Ok(())
}

/// Creates a file that only this user can read, whatever the umask.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Creates the directory of a file if it is missing, for this user only.
pub(super) fn make_parent(path: &Path) -> Result<(), FileError> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(parent);
            made.map_err(FileError::io("made", parent))
        }
        Some(_) | None => Ok(()),
    }
}

/// Makes the new name survive a loss of power. If that fails, the file exists all the same.
pub(super) fn sync_parent(path: &Path) {
    if let Some(Ok(directory)) = path.parent().map(File::open) {
        let _ = directory.sync_all();
    }
}
