//! The files that descriptors of a process refer to.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::linux::process_path::start_link;

/// The file that a descriptor refers to, as far as a standby is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Descriptor {
    /// The pipe of the input.
    Input,
    /// The pipes of stdout or stderr.
    Output,
    /// A pipe, or a counter of events, between its own processes.
    Own,
    /// A file with a path.
    File(PathBuf),
    /// Anything else, or nothing.
    Other,
}

/// Returns the file that a descriptor of a thread refers to. `pipes` are the inodes of its stdin, stdout and stderr.
pub(super) fn descriptor(thread: libc::pid_t, number: u64, pipes: [u64; 3]) -> Descriptor {
    // System calls take an `int`.
    let number = number as u32 as i32;
    let Ok(target) = fs::read_link(start_link(thread, number)) else { return Descriptor::Other };
    let text = target.as_os_str().as_bytes();
    if let Some(inode) = text.strip_prefix(b"pipe:[").and_then(|rest| rest.strip_suffix(b"]")) {
        let inode = std::str::from_utf8(inode).ok().and_then(|digits| digits.parse::<u64>().ok());
        return match inode {
            None => Descriptor::Other,
            Some(inode) if inode == pipes[0] => Descriptor::Input,
            Some(inode) if pipes.contains(&inode) => Descriptor::Output,
            Some(_) => Descriptor::Own,
        };
    }
    if text.starts_with(b"anon_inode:[event") {
        return Descriptor::Own;
    }
    match text.ends_with(b" (deleted)") || !text.starts_with(b"/") {
        true => Descriptor::Other,
        false => Descriptor::File(target),
    }
}

/// Returns the directory in which a relative path of a system call starts.
pub(super) fn directory(thread: libc::pid_t, number: u64) -> Option<PathBuf> {
    let link = start_link(thread, number as u32 as i32);
    fs::read_link(link).ok().filter(|path| path.is_absolute() && !is_deleted(path))
}

fn is_deleted(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(b" (deleted)")
}

/// Returns the arguments of a process.
pub(super) fn arguments(thread: libc::pid_t) -> Vec<OsString> {
    let line = fs::read(format!("/proc/{thread}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0)
        .filter(|argument| !argument.is_empty())
        .map(|argument| OsString::from_vec(argument.to_vec()))
        .collect()
}
