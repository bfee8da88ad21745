//! `posix_spawn`, writes without `SIGPIPE`, and registration of descriptors with tokio. With `adopter`, `contained_run`
//! and `last_answer` the only `unsafe` code of this crate.
//!
//! Decides nothing: callers pass finished C strings and descriptors and get an error number back. Never calls `fork` in
//! a host: it copies the page tables, which costs 30 ms at 500 MB resident.

#![expect(unsafe_code, reason = "posix_spawn, signal masks and AsyncFd have no safe interface")]

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;
use std::sync::Arc;

use libc::{c_char, c_int, c_short, pid_t};
use rustix::process::Pid;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::command::Command;

/// The program to execute, in the form that the kernel takes.
pub(super) struct Image {
    pub(super) path: CString,
    pub(super) argv: Vec<CString>,
    pub(super) env: Vec<CString>,
    pub(super) cwd: CString,
}

/// The descriptors of the new process. INVARIANT: all are above 2, so that no `dup2` to a standard stream overwrites
/// another; the channel is moved last.
pub(super) struct Stdio {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    pub(super) channel: Option<Arc<OwnedFd>>,
}

impl Stdio {
    /// Returns the first descriptor that the process does not get.
    pub(super) fn first_closed(&self) -> c_int {
        if self.channel.is_some() { Command::CHANNEL + 1 } else { 3 }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const FLAGS: c_int = libc::POSIX_SPAWN_SETSID as c_int
    | libc::POSIX_SPAWN_SETSIGDEF as c_int
    | libc::POSIX_SPAWN_SETSIGMASK as c_int;
/// `POSIX_SPAWN_SETSID` of macOS 10.15, which the libc crate does not define.
#[cfg(target_vendor = "apple")]
const APPLE_SETSID: c_int = 0x0400;
#[cfg(target_vendor = "apple")]
const FLAGS: c_int = APPLE_SETSID
    | libc::POSIX_SPAWN_SETSIGDEF as c_int
    | libc::POSIX_SPAWN_SETSIGMASK as c_int
    | libc::POSIX_SPAWN_CLOEXEC_DEFAULT as c_int;

/// Starts `image` as the leader of a new session, with default signals, an empty signal mask, and no descriptor but
/// `stdio`.
pub(super) fn posix_spawn(image: &Image, stdio: &Stdio) -> io::Result<Pid> {
    let attributes = Attributes::new()?;
    let actions = Actions::new(&image.cwd, stdio)?;
    let argv = pointers(&image.argv);
    let env = pointers(&image.env);
    let mut pid: pid_t = 0;
    // SAFETY: the path, both arrays (null-terminated, of strings `image` owns), the attributes and the actions are
    // initialised and outlive the call; `pid` is valid for writing.
    let code = unsafe {
        libc::posix_spawn(
            &mut pid,
            image.path.as_ptr(),
            &actions.0,
            &attributes.0,
            argv.as_ptr(),
            env.as_ptr(),
        )
    };
    check(code)?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("the system gave the process no id"))
}

pub(super) fn pointers(strings: &[CString]) -> Vec<*mut c_char> {
    strings.iter().map(|string| string.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

/// Converts the result of the `posix_spawn` family, which returns its error instead of setting `errno`.
fn check(code: c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new() -> io::Result<Self> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: `raw` is valid for writing; a zero result means that it is initialised.
        check(unsafe { libc::posix_spawnattr_init(raw.as_mut_ptr()) })?;
        // SAFETY: initialised by the call above.
        let mut this = Self(unsafe { raw.assume_init() });
        // Rust ignores SIGPIPE and hosts ignore more signals: a pipeline in a script would never be ended by them.
        let (all, none) = (signal_set(true), signal_set(false));
        // SAFETY: the attributes are initialised, the set is valid for reading.
        check(unsafe { libc::posix_spawnattr_setsigdefault(&mut this.0, &all) })?;
        // SAFETY: as above.
        check(unsafe { libc::posix_spawnattr_setsigmask(&mut this.0, &none) })?;
        // SAFETY: the attributes are initialised.
        check(unsafe { libc::posix_spawnattr_setflags(&mut this.0, FLAGS as c_short) })?;
        Ok(this)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed only here.
        unsafe { libc::posix_spawnattr_destroy(&mut self.0) };
    }
}

struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new(cwd: &CStr, stdio: &Stdio) -> io::Result<Self> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: `raw` is valid for writing; a zero result means that it is initialised.
        check(unsafe { libc::posix_spawn_file_actions_init(raw.as_mut_ptr()) })?;
        // SAFETY: initialised by the call above.
        let mut this = Self(unsafe { raw.assume_init() });
        // SAFETY: the actions are initialised; the C string is copied.
        check(unsafe { libc::posix_spawn_file_actions_addchdir_np(&mut this.0, cwd.as_ptr()) })?;
        for (target, fd) in [&stdio.stdin, &stdio.stdout, &stdio.stderr].into_iter().enumerate() {
            // SAFETY: the actions are initialised; both are plain numbers.
            check(unsafe {
                libc::posix_spawn_file_actions_adddup2(&mut this.0, fd.as_raw_fd(), target as c_int)
            })?;
        }
        if let Some(channel) = &stdio.channel {
            // SAFETY: as above. With equal numbers the action clears close-on-exec.
            check(unsafe {
                libc::posix_spawn_file_actions_adddup2(&mut this.0, channel.as_raw_fd(), Command::CHANNEL)
            })?;
        }
        this.close_others(stdio.first_closed())?;
        Ok(this)
    }

    /// Closes the descriptors of the host that lack close-on-exec.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn close_others(&mut self, first: c_int) -> io::Result<()> {
        // SAFETY: the actions are initialised.
        check(unsafe { libc::posix_spawn_file_actions_addclosefrom_np(&mut self.0, first) })
    }

    /// Names each descriptor that is open now, since this libc has no `closefrom`. One that another thread opens
    /// without close-on-exec between here and the exec still leaks.
    #[cfg(all(any(target_os = "linux", target_os = "android"), not(target_env = "gnu")))]
    fn close_others(&mut self, first: c_int) -> io::Result<()> {
        let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return Ok(()) };
        let open = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<c_int>().ok());
        for fd in open.filter(|fd| *fd >= first) {
            // SAFETY: the actions are initialised; closing a number that is not open is ignored by this libc.
            check(unsafe { libc::posix_spawn_file_actions_addclose(&mut self.0, fd) })?;
        }
        Ok(())
    }

    /// Does nothing: `POSIX_SPAWN_CLOEXEC_DEFAULT` closes them.
    #[cfg(target_vendor = "apple")]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "same interface as on Linux")]
    fn close_others(&mut self, _: c_int) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed only here.
        unsafe { libc::posix_spawn_file_actions_destroy(&mut self.0) };
    }
}

pub(super) fn signal_set(full: bool) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `set` is valid for writing; both calls initialise it and can't fail on a valid pointer.
    unsafe {
        if full {
            libc::sigfillset(set.as_mut_ptr())
        } else {
            libc::sigemptyset(set.as_mut_ptr())
        };
        set.assume_init()
    }
}

fn only_sigpipe() -> libc::sigset_t {
    let mut set = signal_set(false);
    // SAFETY: `set` is initialised and SIGPIPE is a valid number.
    unsafe { libc::sigaddset(&mut set, libc::SIGPIPE) };
    set
}

/// Runs `write` so that a pipe without readers gives an error and no signal. A Rust host ignores `SIGPIPE`; a host in
/// another language, with this engine as a library, may not, and would be killed by a program that reads no stdin.
pub(super) fn without_sigpipe<T>(write: impl FnOnce() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    let pipe = only_sigpipe();
    let mut before = signal_set(false);
    // SAFETY: both sets are initialised; only this thread's mask changes.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &pipe, &mut before) };
    let pending = sigpipe_is_pending();
    let result = write();
    if matches!(result, Err(rustix::io::Errno::PIPE)) && !pending {
        discard_sigpipe(&pipe);
    }
    // SAFETY: `before` is the mask that the first call filled in.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut()) };
    result
}

fn sigpipe_is_pending() -> bool {
    let mut set = signal_set(false);
    // SAFETY: `set` is valid for writing, then initialised.
    unsafe { libc::sigpending(&mut set) == 0 && libc::sigismember(&set, libc::SIGPIPE) == 1 }
}

/// Consumes the signal of a failed write, which is pending for this thread, before the mask is restored.
fn discard_sigpipe(pipe: &libc::sigset_t) {
    if sigpipe_is_pending() {
        let mut taken: c_int = 0;
        // SAFETY: `pipe` is initialised and `taken` valid for writing; SIGPIPE is blocked and pending: no waiting.
        unsafe { libc::sigwait(pipe, &mut taken) };
    }
}

/// Registers a descriptor with the current runtime.
pub(super) fn watch(fd: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` stays open, with the same number, until it is dropped, and the `AsyncFd` owns it.
    unsafe { AsyncFd::register_with_interest(fd, interest) }.map_err(|refused| refused.into_parts().1)
}

/// Returns the session of this process; 0 if its leader can't be seen from here, as in a container that was entered
/// from outside.
pub(super) fn session() -> i32 {
    // SAFETY: `getsid` takes a number and touches no memory. It can't fail for the calling process.
    unsafe { libc::getsid(0) }
}
