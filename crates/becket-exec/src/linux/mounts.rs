//! Mounts over files that are denied inside of an allowed directory, in a mount namespace of the program's own.
//! Landlock has no rule for such files.
//!
//! A mount can't be renamed, but a directory above it can. So each directory above it is mounted over itself.
//!
//! INVARIANT: the program is under Landlock, which forbids it to unmount or to mount anything.

#![expect(unsafe_code, reason = "namespaces and mounts have no safe interface that is usable after a fork")]

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use becket_model::Rights;

/// Mounts, prepared before the fork.
#[derive(Debug)]
pub(super) struct Mounts {
    /// The mounts in the order in which they are made: hidden paths lie over read-only ones, and those over the
    /// directories that stay in place.
    steps: Vec<MountStep>,
}

#[derive(Debug)]
enum MountStep {
    InPlace(CString),
    ReadOnly(CString),
    HiddenDirectory(CString),
    HiddenFile(CString),
}

impl Mounts {
    /// Returns the mounts that the rights need; `None` if they deny no path.
    pub(super) fn of(rights: &Rights) -> io::Result<Option<Self>> {
        let in_place = above(rights).into_iter().map(|path| Ok(MountStep::InPlace(c_path(path)?)));
        let read_only = rights.deny_write.iter().map(|path| Ok(MountStep::ReadOnly(c_path(path)?)));
        let hidden = rights.deny_read.iter().map(|path| MountStep::hidden(path));
        let steps: Vec<MountStep> = in_place.chain(read_only).chain(hidden).collect::<io::Result<_>>()?;
        if steps.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { steps }))
    }

    /// Makes the mounts in the mount namespace of this process.
    ///
    /// Safe after a fork: it makes system calls and allocates nothing.
    pub(super) fn make(&self) -> io::Result<()> {
        mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE)?;
        self.steps.iter().try_for_each(MountStep::enter)
    }
}

impl MountStep {
    fn hidden(path: &Path) -> io::Result<Self> {
        let name = c_path(path)?;
        Ok(if path.is_dir() { Self::HiddenDirectory(name) } else { Self::HiddenFile(name) })
    }

    fn enter(&self) -> io::Result<()> {
        match self {
            Self::InPlace(path) => mount(Some(path), path, None, libc::MS_BIND | libc::MS_REC),
            Self::ReadOnly(path) => {
                mount(Some(path), path, None, libc::MS_BIND | libc::MS_REC)?;
                restrict(path, libc::MOUNT_ATTR_RDONLY)
            }
            Self::HiddenDirectory(path) => {
                mount(
                    Some(c"none"),
                    path,
                    Some(c"tmpfs"),
                    libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC,
                )?;
                restrict(path, libc::MOUNT_ATTR_RDONLY)
            }
            // A device that can't be opened.
            Self::HiddenFile(path) => {
                mount(Some(c"/dev/null"), path, None, libc::MS_BIND)?;
                restrict(path, libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NODEV)
            }
        }
    }
}

/// Returns the directories above denied paths that the program could rename, each before those below it.
fn above(rights: &Rights) -> BTreeSet<&Path> {
    let denied = rights.deny_write.iter().chain(&rights.deny_read);
    let above = denied.flat_map(|path| path.ancestors().skip(1));
    above.filter(|path| path.parent().is_some_and(|parent| rights.write.allow(parent))).collect()
}

fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)
}

fn mount(source: Option<&CStr>, target: &CStr, kind: Option<&CStr>, flags: libc::c_ulong) -> io::Result<()> {
    let pointer = |text: Option<&CStr>| text.map_or(ptr::null(), CStr::as_ptr);
    let data = if kind.is_some() { c"mode=000,size=4k".as_ptr().cast() } else { ptr::null() };
    // SAFETY: the pointers are null or C strings that outlive the call.
    succeeded(unsafe { libc::mount(pointer(source), target.as_ptr(), pointer(kind), flags, data) })
}

/// Adds attributes to a mount and to those below it.
fn restrict(path: &CStr, attributes: u64) -> io::Result<()> {
    let attributes = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path and the attributes outlive the call, which is told their size.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the error of the last system call if its result is negative.
pub(super) fn succeeded(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
