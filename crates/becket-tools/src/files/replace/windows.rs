//! Owners, modes and attributes of files on Windows: a file that replaces another one gets the access list of its
//! directory, as with most editors; a read-only file stays unchanged.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

pub(super) fn may_write(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| !file.permissions().readonly())
}

pub(super) fn alike(_: &Path, _: &Metadata, _: &mut File) -> io::Result<bool> {
    Ok(true)
}

pub(super) fn same_mode(_: &Metadata, _: &File) -> io::Result<()> {
    Ok(())
}

/// Returns whether a file is unchanged.
pub(super) fn is_same(then: &Metadata, now: &Metadata) -> bool {
    let facts = |file: &Metadata| (file.len(), file.modified().ok(), file.created().ok());
    facts(then) == facts(now)
}

pub(super) fn names(_: &Metadata) -> u64 {
    1
}

pub(super) fn open_to_overwrite(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}
