//! Reading and replacing of private files.
//!
//! INVARIANT: what is written is in a file of mode 0600 from its first byte on; a reader sees the old text or the new
//! one.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::{FileError, sys};

/// Files of tokens have some KiB.
const CAP: u64 = 8 << 20;

/// Returns the bytes of a file; `None` if it does not exist.
///
/// # Errors
/// It is not the private file of this user, or it can't be read.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    let named = match fs::symlink_metadata(path) {
        Ok(named) => named,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::io("looked at", path)(error)),
    };
    if named.is_symlink() {
        return Err(FileError::Symlink { path: path.to_owned() });
    }
    // Before it is opened: opening a pipe waits for a writer.
    if !named.is_file() {
        return Err(FileError::NoFile { path: path.to_owned() });
    }
    let file = match sys::open(path) {
        Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    sys::check(path, &file)?;
    let mut bytes = Vec::new();
    file.take(CAP + 1).read_to_end(&mut bytes).map_err(FileError::io("read", path))?;
    if bytes.len() as u64 > CAP {
        return Err(FileError::TooLarge { path: path.to_owned(), cap: CAP });
    }
    Ok(Some(bytes))
}

/// Replaces a file by one with these bytes. A missing directory is created, for this user only.
///
/// # Errors
/// Nothing has changed: the directory can't be made or written.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    sys::make_parent(path)?;
    let new = unused(path);
    let written = write(&new, bytes).and_then(|()| {
        fs::rename(&new, path).map_err(FileError::io("put in its place", path))?;
        sys::sync_parent(path);
        Ok(())
    });
    if written.is_err() {
        // After a partial write the file may already be gone.
        let _ = fs::remove_file(&new);
    }
    written
}

fn write(new: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut file = sys::create_new(new).map_err(FileError::io("made", new))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(FileError::io("written", new))
}

/// Returns a name beside the file that no other process or thread uses.
fn unused(path: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    super::beside(path, &format!(".{}-{number}.new", std::process::id()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
