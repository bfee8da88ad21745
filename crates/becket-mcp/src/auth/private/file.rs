//! Reads and replaces private files.
//!
//! INVARIANT: new content is in a file of mode 0600 from its first byte on; a reader sees the old text or the new one.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::Path;

use becket_base::private_file::{self, NotPrivate};

use super::FileError;

/// The maximum size of a file; files of tokens have some KiB.
const CAP: u64 = 8 << 20;

/// Returns the bytes of a file; `None` if it does not exist.
///
/// # Errors
/// Errors if it is not a private file of this user, or can't be read.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    let named = match fs::symlink_metadata(path) {
        Ok(named) => named,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::io("looked at", path)(error)),
    };
    if named.is_symlink() {
        return Err(FileError::Symlink { path: path.to_owned() });
    }
    // Checked before it is opened: opening a pipe waits for a writer.
    if !named.is_file() {
        return Err(FileError::NoFile { path: path.to_owned() });
    }
    let file = match open(path, private_file::options().read(true)) {
        Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    private_file::check(&file).map_err(|error| {
        let path = path.to_owned();
        match error {
            NotPrivate::NotFile => FileError::NoFile { path },
            NotPrivate::OtherOwner(owner) => FileError::Owner { path, owner },
            NotPrivate::Mode(mode) => FileError::Mode { path, mode },
            NotPrivate::Io(error) => FileError::io("looked at", &path)(error),
        }
    })?;
    let mut bytes = Vec::new();
    file.take(CAP + 1).read_to_end(&mut bytes).map_err(FileError::io("read", path))?;
    if bytes.len() as u64 > CAP {
        return Err(FileError::TooLarge { path: path.to_owned(), cap: CAP });
    }
    Ok(Some(bytes))
}

/// Replaces a file with one that contains these bytes. A missing directory is created, for this user only.
///
/// # Errors
/// Errors if the directory can't be created or written to; nothing has changed then.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    make_parent(path)?;
    private_file::replace(path, bytes).map_err(FileError::io("written", path))
}

/// Opens a file. A symbolic link is refused, even one that was just created.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<File, FileError> {
    options.open(path).map_err(|error| match path.is_symlink() {
        true => FileError::Symlink { path: path.to_owned() },
        false => FileError::io("opened", path)(error),
    })
}

/// Creates the directory of a file if it is missing, for this user only.
pub(super) fn make_parent(path: &Path) -> Result<(), FileError> {
    private_file::create_parent(path)
        .map_err(|error| FileError::io("made", path.parent().unwrap_or(path))(error))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
