//! Starts a process that adopts the orphans among its descendants (`PR_SET_CHILD_SUBREAPER`), or one that is traced by
//! the thread that starts it (`PTRACE_TRACEME`).
//!
//! The process says so itself between its start and its program, for which `posix_spawn` has no action. So the
//! child is created as `posix_spawn` creates it: it shares the memory of the host, which waits until the program
//! begins, and no page table is copied. The flag survives the `exec` and is not inherited.
//!
//! A process that adopts is stopped while its descendants are ended. If the host dies before that is done, nobody would let it
//! continue, so the system sends it SIGCONT when the thread that started it ends (`PR_SET_PDEATHSIG`): it reads the
//! end of its stdin, and exits. A process that is not stopped is not affected by the signal.
//!
//! INVARIANT: between `clone` and `execve` the child calls nothing but plain system calls; it allocates nothing, takes
//! no lock and does not unwind.

#![expect(
    unsafe_code,
    reason = "a child that runs code of the host before its program has no safe interface"
)]

use std::ffi::c_void;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::{c_char, c_int, c_uint};
use rustix::process::Pid;

use super::ffi::{Image, Stdio, pointers, signal_set};
use super::leader;
use crate::command::Command;

/// The stack size of the child, which makes a dozen system calls.
const STACK: usize = 64 << 10;
/// One more than the highest signal.
const SIGNALS: c_int = 65;

/// The relation of a process to others that it asks for before it becomes its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It becomes the parent of the orphans among its descendants.
    Adopter,
    /// It is traced by the thread that starts it, and stops before the first instruction of its program.
    Tracee,
}

/// The data that the child needs, all prepared in advance.
struct Start {
    role: Role,
    path: *const c_char,
    argv: Vec<*mut c_char>,
    env: Vec<*mut c_char>,
    cwd: *const c_char,
    stdio: [c_int; 3],
    channel: Option<c_int>,
    /// The first descriptor to close.
    first_closed: c_int,
    no_signals: libc::sigset_t,
    /// The error that prevented the program from starting.
    error: AtomicI32,
}

/// Starts `image` as [`super::ffi::posix_spawn`] does, in the given role.
pub(super) fn spawn(image: &Image, stdio: &Stdio, role: Role) -> io::Result<Pid> {
    let start = Start {
        role,
        path: image.path.as_ptr(),
        argv: pointers(&image.argv),
        env: pointers(&image.env),
        cwd: image.cwd.as_c_str().as_ptr(),
        stdio: [&stdio.stdin, &stdio.stdout, &stdio.stderr].map(AsRawFd::as_raw_fd),
        channel: stdio.channel.as_deref().map(AsRawFd::as_raw_fd),
        first_closed: stdio.first_closed(),
        no_signals: signal_set(false),
        error: AtomicI32::new(0),
    };
    let mut stack = vec![0_u128; STACK / size_of::<u128>()];
    let before = block_signals();
    // SAFETY: the stack is aligned and grows down from its end; it and `start` outlive the child's use of them, since
    // `CLONE_VFORK` holds this thread until the child has begun its program or ended. Signals are blocked, so no handler
    // of the host runs in the child.
    let pid = unsafe {
        libc::clone(
            begin,
            stack.as_mut_ptr_range().end.cast::<c_void>(),
            libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            ptr::from_ref(&start).cast_mut().cast::<c_void>(),
        )
    };
    let error = io::Error::last_os_error();
    restore_signals(&before);
    let pid = Pid::from_raw(pid).filter(|pid| pid.as_raw_pid() > 0).ok_or(error)?;
    match start.error.load(Ordering::Acquire) {
        0 => Ok(pid),
        code => {
            leader::reap(pid);
            Err(io::Error::from_raw_os_error(code))
        }
    }
}

/// Runs in the child: becomes the program, or reports why it can't.
extern "C" fn begin(start: *mut c_void) -> c_int {
    // SAFETY: `spawn` hands over a `Start` that outlives the child's use of it, and does not touch it meanwhile.
    let start = unsafe { &*start.cast::<Start>() };
    // SAFETY: called in the child, with what `spawn` has made.
    unsafe { become_program(start) };
    // SAFETY: reads the error number of the call that failed last; nothing but the exit follows.
    let code = unsafe { *libc::__errno_location() };
    start.error.store(code, Ordering::Release);
    // SAFETY: ends the child alone, without handlers of the host.
    unsafe { libc::_exit(127) }
}

/// Becomes the program; returns only if a call has failed, with its error in `errno`.
///
/// # Safety
/// May only be called in a child created by [`spawn`].
unsafe fn become_program(start: &Start) {
    // SAFETY: plain system calls on numbers and on C strings and arrays that outlive them.
    unsafe {
        let refused = match start.role {
            Role::Adopter => {
                libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0
                    || libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGCONT, 0, 0, 0) != 0
            }
            Role::Tracee => libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) != 0,
        };
        if refused || libc::setsid() < 0 {
            return;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        for signal in 1..SIGNALS {
            // Signals that can't be set have the default action already.
            libc::sigaction(signal, &action, ptr::null_mut());
        }
        if libc::chdir(start.cwd) != 0 {
            return;
        }
        for (target, fd) in start.stdio.iter().enumerate() {
            if libc::dup2(*fd, target as c_int) < 0 {
                return;
            }
        }
        if let Some(channel) = start.channel {
            // A `dup2` to its own number would leave close-on-exec in place.
            let moved = match channel {
                Command::CHANNEL => libc::fcntl(channel, libc::F_SETFD, 0),
                _ => libc::dup2(channel, Command::CHANNEL),
            };
            if moved < 0 {
                return;
            }
        }
        close_others(start.first_closed);
        libc::sigprocmask(libc::SIG_SETMASK, &start.no_signals, ptr::null_mut());
        libc::execve(start.path, start.argv.as_ptr().cast(), start.env.as_ptr().cast());
    }
}

/// Closes the descriptors of the host that lack close-on-exec.
///
/// # Safety
/// May only be called in a child created by [`spawn`].
unsafe fn close_others(first: c_int) {
    // SAFETY: plain numbers; the table of descriptors is the child's own.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, c_uint::MAX, 0 as c_uint) == 0 {
            return;
        }
        let mut limit: libc::rlimit = std::mem::zeroed();
        let most = match libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) {
            0 => c_int::try_from(limit.rlim_cur).unwrap_or(c_int::MAX).min(1 << 20),
            _ => 1 << 16,
        };
        for fd in first..most {
            libc::close(fd);
        }
    }
}

fn block_signals() -> libc::sigset_t {
    let (all, mut before) = (signal_set(true), signal_set(false));
    // SAFETY: both sets are initialised; only this thread's mask changes.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before) };
    before
}

fn restore_signals(before: &libc::sigset_t) {
    // SAFETY: the set is the mask that `block_signals` has read.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, ptr::null_mut()) };
}
