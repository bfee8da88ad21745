//! The memory of a stopped process.

#![expect(unsafe_code, reason = "process_vm_readv has no safe interface")]

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// The size of the pieces in which memory is read: a piece that is not mapped ends the read.
const PIECE: u64 = 4096;

/// The maximum number of pieces of one read.
const MOST: usize = 64;

/// The length of the longest path, as in the kernel.
const LONGEST_PATH: u64 = 4096;

/// A part of the memory of a process, from one address upwards. More is read when it is needed.
pub(super) struct Memory {
    process: libc::pid_t,
    start: u64,
    bytes: Vec<u8>,
}

impl Memory {
    /// Reads the memory from `start` on.
    pub(super) fn read(process: libc::pid_t, start: u64) -> io::Result<Self> {
        let mut memory = Self { process, start, bytes: Vec::new() };
        memory.grow(8)?;
        Ok(memory)
    }

    /// Returns the number at an address.
    pub(super) fn word(&mut self, address: u64) -> io::Result<u64> {
        let bytes = self.range(address, address.saturating_add(8))?;
        Ok(bytes.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte)))
    }

    /// Returns the bytes between two addresses.
    pub(super) fn range(&mut self, from: u64, to: u64) -> io::Result<&[u8]> {
        while self.end() < to {
            self.grow(MOST)?;
        }
        let offset = |address: u64| usize::try_from(address.checked_sub(self.start)?).ok();
        let (from, to) = (offset(from), offset(to));
        let range = from.zip(to).and_then(|(from, to)| self.bytes.get(from..to));
        range.ok_or_else(|| io::Error::other("its stack does not have the layout that the kernel creates"))
    }

    /// Returns the path at an address, up to its NUL.
    ///
    /// # Errors
    /// Errors if it can't be read, or is longer than the kernel allows.
    pub(super) fn path(&mut self, address: u64) -> io::Result<&[u8]> {
        for end in address..address.saturating_add(LONGEST_PATH) {
            if self.range(end, end + 1)? == [0] {
                return self.range(address, end);
            }
        }
        Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG))
    }

    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    fn grow(&mut self, pieces: usize) -> io::Result<()> {
        let from = self.end();
        let mut remote = Vec::with_capacity(pieces);
        let mut at = from;
        for _ in 0..pieces {
            let length = PIECE - at % PIECE;
            let iov_len = usize::try_from(length).unwrap_or_default();
            remote.push(libc::iovec { iov_base: std::ptr::without_provenance_mut(address(at)?), iov_len });
            at += length;
        }
        let mut bytes = vec![0_u8; address(at - from)?];
        let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        // SAFETY: the local buffer is as long as it says; the remote addresses are checked by the kernel.
        let read = unsafe {
            libc::process_vm_readv(self.process, &raw const local, 1, remote.as_ptr(), remote.len() as u64, 0)
        };
        match usize::try_from(read) {
            Ok(0) => Err(io::Error::from_raw_os_error(libc::EFAULT)),
            Ok(read) => {
                self.bytes.extend_from_slice(&bytes[..read]);
                Ok(())
            }
            Err(_) => Err(io::Error::last_os_error()),
        }
    }
}

/// Returns the path at an address of a process.
///
/// # Errors
/// Errors as [`Memory::path`] does.
pub(super) fn path(process: libc::pid_t, address: u64) -> io::Result<PathBuf> {
    let mut memory = Memory::read(process, address)?;
    Ok(PathBuf::from(OsStr::from_bytes(memory.path(address)?)))
}

fn address(number: u64) -> io::Result<usize> {
    usize::try_from(number).map_err(io::Error::other)
}

/// Writes to a process that is stopped and traced, even where the process itself could not write.
pub(super) fn write(process: libc::pid_t, at: u64, bytes: &[u8]) -> io::Result<()> {
    let memory = OpenOptions::new().write(true).open(format!("/proc/{process}/mem"))?;
    memory.write_all_at(bytes, at)
}
