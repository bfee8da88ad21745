//! Owners, modes and attributes of files on Unix.

use rustix::fs::{Access, OFlags};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

/// An attribute that a new file inherits from its directory.
const INHERITED: &[u8] = b"security.selinux";

/// Returns whether the mode of the file permits writing: a rename over it would not check that.
pub(super) fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, Access::WRITE_OK).is_ok()
}

/// Gives the new file the owner of the old one; returns whether it then equals the old one in everything but its mode.
pub(super) fn alike(path: &Path, old: &Metadata, new: &mut File) -> io::Result<bool> {
    if has_attributes(path)? {
        return Ok(false);
    }
    let now = new.metadata()?;
    if (now.uid(), now.gid()) == (old.uid(), old.gid()) {
        return Ok(true);
    }
    match fchown(&*new, Some(old.uid()), Some(old.gid())) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(false),
        Err(error) => Err(error),
    }
}

/// Copies the mode. Must be the last step, since writing to a file may change its mode.
pub(super) fn same_mode(old: &Metadata, new: &File) -> io::Result<()> {
    new.set_permissions(std::fs::Permissions::from_mode(old.permissions().mode() & 0o7777))
}

/// Returns whether a file is the same one as before, unchanged.
pub(super) fn is_same(then: &Metadata, now: &Metadata) -> bool {
    let facts =
        |file: &Metadata| (file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec(), file.mode());
    facts(then) == facts(now)
}

pub(super) fn names(file: &Metadata) -> u64 {
    file.nlink()
}

pub(super) fn open_to_overwrite(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new().write(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// Returns whether the file has attributes of its own: access lists, capabilities, attributes set by users.
fn has_attributes(path: &Path) -> io::Result<bool> {
    let mut names = vec![0_u8; 64 << 10];
    let length = match rustix::fs::llistxattr(path, &mut names[..]) {
        Ok(length) => length,
        Err(rustix::io::Errno::NOTSUP | rustix::io::Errno::NOSYS) => return Ok(false),
        // A list that is too long for the buffer is not empty.
        Err(rustix::io::Errno::RANGE) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    let names = names.get(..length).unwrap_or_default();
    Ok(names.split(|byte| *byte == 0).any(|name| !name.is_empty() && name != INHERITED))
}
