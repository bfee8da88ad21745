//! The settings of this process while it supervises, restored afterwards.

#![expect(unsafe_code, reason = "signals and prctl have no safe interface")]

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

/// The first process, which receives the signals that would end this one.
static MAIN: AtomicI32 = AtomicI32::new(0);

/// Signals that are commonly sent to end a program: they are passed on.
const PASSED_ON: [libc::c_int; 2] = [libc::SIGTERM, libc::SIGHUP];

/// Signals of a terminal: the first two reach the supervised programs as well, and the others would stop this process
/// if it asked a question while a job of the program has the terminal.
const IGNORED: [libc::c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTTIN, libc::SIGTTOU];

/// A process that supervises: orphans become its children, its memory is closed to processes of the same user, signals
/// are passed on.
pub(super) struct HostProcess {
    signals: libc::sigset_t,
    handlers: Vec<(libc::c_int, libc::sigaction)>,
    /// The earlier value of `PR_SET_DUMPABLE`.
    dumpable: libc::c_ulong,
}

/// Blocks SIGCHLD, so that it can be read from a descriptor, and returns the signals that were blocked before.
pub(super) fn block_sigchld() -> io::Result<libc::sigset_t> {
    let mut before = MaybeUninit::uninit();
    let set = only(libc::SIGCHLD);
    // SAFETY: both sets are valid for the call, which fills the second one.
    unsafe {
        match libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, before.as_mut_ptr()) {
            0 => Ok(before.assume_init()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Returns the set of one signal.
pub(super) fn only(signal: libc::c_int) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the first call initialises the set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        set.assume_init()
    }
}

impl HostProcess {
    /// Begins to supervise; `signals` are those to restore.
    pub(super) fn supervise(main: libc::pid_t, signals: libc::sigset_t) -> Self {
        MAIN.store(main, Ordering::SeqCst);
        set(libc::PR_SET_CHILD_SUBREAPER, 1);
        // SAFETY: reads a number. 2, which only an exec sets, can't be set by a process.
        let is_dumpable = unsafe { libc::prctl(libc::PR_GET_DUMPABLE, 0, 0, 0, 0) } == 1;
        set(libc::PR_SET_DUMPABLE, 0);
        let pass = pass_on as extern "C" fn(libc::c_int) as libc::sighandler_t;
        let passed = PASSED_ON.into_iter().map(|signal| (signal, handle(signal, pass)));
        let ignored = IGNORED.into_iter().map(|signal| (signal, handle(signal, libc::SIG_IGN)));
        let handlers = passed.chain(ignored).collect();
        Self { signals, handlers, dumpable: is_dumpable.into() }
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        MAIN.store(0, Ordering::SeqCst);
        for (signal, before) in &self.handlers {
            // SAFETY: the action is one that the system returned for this signal.
            unsafe { libc::sigaction(*signal, before, ptr::null_mut()) };
        }
        // SAFETY: the set is one that the system returned.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.signals, ptr::null_mut()) };
        set(libc::PR_SET_DUMPABLE, self.dumpable);
        set(libc::PR_SET_CHILD_SUBREAPER, 0);
    }
}

extern "C" fn pass_on(signal: libc::c_int) {
    let main = MAIN.load(Ordering::SeqCst);
    if main > 0 {
        // SAFETY: kill may be called in a handler, and changes no memory.
        unsafe { libc::kill(main, signal) };
    }
}

fn handle(signal: libc::c_int, handler: libc::sighandler_t) -> libc::sigaction {
    // SAFETY: an action of zeros is valid, and both are valid for the call; the handler only loads and sends a signal.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, &raw mut before);
        before
    }
}

fn set(option: libc::c_int, value: libc::c_ulong) {
    // SAFETY: both options take a number and change no memory; they can't fail with these values.
    unsafe { libc::prctl(option, value, 0, 0, 0) };
}
