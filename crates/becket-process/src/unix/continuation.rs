//! A process that ends for its caller and continues as a copy of itself.
//!
//! The copy has a session of its own and no stdio, so that neither a signal to the group of the first process nor a
//! reader of its output affects it. It keeps all other descriptors, and with them the runtime that watches them. The
//! children of the first process are not those of the copy: their exit codes are lost, and they are found by `/proc`.

#![expect(unsafe_code, reason = "fork has no safe interface")]

use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Mode, OFlags};
use rustix::process::setsid;
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

/// Set in the copy that a process continues as.
static IS_COPY: AtomicBool = AtomicBool::new(false);

/// Ends this process with an exit code, and returns in a copy of it.
///
/// # Errors
/// Errors if this process has several threads, or if the system can't start another process; it has not ended then.
pub fn exit_and_continue(code: u8) -> io::Result<()> {
    if !has_one_thread() {
        return Err(io::Error::other("a process with several threads has no copy"));
    }
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    // SAFETY: there is no other thread, whose locks could be held in the copy.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            IS_COPY.store(true, Ordering::Relaxed);
            // A process that has just been forked leads no group, so this can't fail.
            let _ = setsid();
            dup2_stdin(&null)?;
            dup2_stdout(&null)?;
            dup2_stderr(&null)?;
            Ok(())
        }
        // SAFETY: ends the process at once. Destructors would end what the copy continues with.
        _ => unsafe { libc::_exit(code.into()) },
    }
}

/// Returns whether this process can have a copy: only the thread that forks is part of it.
pub fn has_one_thread() -> bool {
    fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

/// Returns whether this process is a copy, and the processes that it ends may be children of the first one.
pub(super) fn is_copy() -> bool {
    IS_COPY.load(Ordering::Relaxed)
}
