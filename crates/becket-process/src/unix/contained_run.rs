//! A process that continues in a child, so that everything which the child leaves running can be ended with it.
//!
//! The first process becomes the parent of every orphan among its descendants (`PR_SET_CHILD_SUBREAPER`), reaps them,
//! waits for the child, kills what is left, and ends as the child has ended. Neither `setsid` nor a double fork escapes
//! this. Children that the first process had before, such as those of a shell that has become it, are left alone.

#![expect(unsafe_code, reason = "fork and signal handlers have no safe interface")]

use std::fs;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use libc::{c_int, c_void, pid_t, siginfo_t};

use super::kin::{self, Stat};

/// The child, which receives the signals of the first process.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// Signals that are passed on to the child. Those that the terminal sends reach it anyway.
const PASSED_ON: [c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

/// The time after which processes that can't be killed are left alone.
const LONGEST: Duration = Duration::from_secs(5);

/// Continues in a child process, at whose end every process is killed that it has started, daemons included. This
/// process only waits, and never returns; it ends with the exit code or the signal of the child.
///
/// # Errors
/// Errors if this process has several threads, or if the system can't start another process.
pub fn continue_in_child() -> io::Result<()> {
    if fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("a process with several threads can't continue in a child"));
    }
    let own = rustix::process::getpid().as_raw_pid();
    let spared = kin::descendants(own, &[]);
    // Signals wait until somebody is there to receive them.
    let before = mask(libc::SIG_BLOCK, &set_of_passed_on());
    // SAFETY: a plain system call. The status of a child is lost while the signal is ignored.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    adopt_orphans(true);
    // SAFETY: there is no other thread, whose locks could be held in the child.
    match unsafe { libc::fork() } {
        -1 => {
            let why = io::Error::last_os_error();
            adopt_orphans(false);
            mask(libc::SIG_SETMASK, &before);
            Err(why)
        }
        0 => {
            // SAFETY: a plain system call. The child ends if the first process is killed, even at once.
            let set = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
            let is_orphan = rustix::process::getppid().is_none_or(|parent| parent.as_raw_pid() != own);
            if set != 0 || is_orphan {
                // SAFETY: ends the child, which has done nothing yet.
                unsafe { libc::_exit(1) };
            }
            mask(libc::SIG_SETMASK, &before);
            Ok(())
        }
        child => wait_for(own, child, &spared, &before),
    }
}

/// Waits for the child and ends as it does, after all of its processes.
fn wait_for(own: pid_t, child: pid_t, spared: &[Stat], before: &libc::sigset_t) -> ! {
    CHILD.store(child, Ordering::SeqCst);
    // SAFETY: plain system calls with values that are valid for them; the handler only loads and sends a signal.
    unsafe {
        for signal in PASSED_ON {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = pass_on as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
    mask(libc::SIG_SETMASK, before);
    let ended = wait_until_ended(child);
    // Its id may be that of another process from now on.
    CHILD.store(0, Ordering::SeqCst);
    end_all(own, spared);
    match ended {
        Some(status) => end_as(status),
        // SAFETY: ends this process. The child's end is unknown, which is never a success.
        None => unsafe { libc::_exit(1) },
    }
}

/// Makes this process the parent of its orphaned descendants. If the system refuses, they leave as they do everywhere.
fn adopt_orphans(adopts: bool) {
    // SAFETY: a plain system call. A fork does not inherit the setting.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, libc::c_ulong::from(adopts), 0, 0, 0) };
}

/// Reaps children until this one has ended, and returns its status; `None` if it was reaped elsewhere.
fn wait_until_ended(child: pid_t) -> Option<c_int> {
    loop {
        let mut status = 0;
        // SAFETY: the status outlives the call.
        match unsafe { libc::waitpid(-1, &raw mut status, 0) } {
            ended if ended == child => return Some(status),
            -1 if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted => return None,
            _ => {}
        }
    }
}

/// Kills all descendants of this process but the spared ones, and reaps them.
fn end_all(own: pid_t, spared: &[Stat]) {
    let start = Instant::now();
    // One look may miss a process that starts during it.
    let mut empty_looks = 0;
    while empty_looks < 2 && start.elapsed() <= LONGEST {
        let left = kin::descendants(own, spared);
        if left.is_empty() {
            empty_looks += 1;
            continue;
        }
        empty_looks = 0;
        left.iter().for_each(kin::kill_if_same);
        // SAFETY: a null pointer asks for no status.
        while unsafe { libc::waitpid(-1, ptr::null_mut(), libc::WNOHANG) } > 0 {}
        sleep(Duration::from_millis(1));
    }
}

/// Ends this process with the exit code or the signal of another one.
fn end_as(status: c_int) -> ! {
    // SAFETY: plain system calls. The default action of the signal ends this process, without a core dump of its own;
    // otherwise `_exit` does.
    unsafe {
        if libc::WIFSIGNALED(status) {
            let signal = libc::WTERMSIG(status);
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            libc::_exit(128 + signal)
        }
        libc::_exit(libc::WEXITSTATUS(status))
    }
}

extern "C" fn pass_on(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the system hands over a valid description of the signal.
    let is_of_terminal = unsafe { (*info).si_code } == libc::SI_KERNEL;
    let child = CHILD.load(Ordering::SeqCst);
    if child > 0 && !is_of_terminal {
        // SAFETY: kill may be called in a handler, and changes no memory.
        unsafe { libc::kill(child, signal) };
    }
}

fn set_of_passed_on() -> libc::sigset_t {
    let mut set = super::ffi::signal_set(false);
    for signal in PASSED_ON {
        // SAFETY: the set is initialised.
        unsafe { libc::sigaddset(&raw mut set, signal) };
    }
    set
}

/// Changes the blocked signals of this thread, and returns those that were blocked before.
fn mask(how: c_int, set: &libc::sigset_t) -> libc::sigset_t {
    let mut before = super::ffi::signal_set(false);
    // SAFETY: both sets are initialised; only this thread's mask changes.
    unsafe { libc::pthread_sigmask(how, set, &raw mut before) };
    before
}
