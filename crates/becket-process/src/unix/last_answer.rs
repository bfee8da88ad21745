//! The answer that a process gives if a signal ends it: otherwise its caller sees a process without an answer.
//!
//! INVARIANT: the handler only reads two pointers to memory that is never freed, and calls nothing but `write`,
//! `_exit`, `signal` and `raise`, which are allowed there.

#![expect(unsafe_code, reason = "a signal handler has no safe interface")]

use libc::c_int;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The texts and the exit code of a process that a signal ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastAnswer {
    /// The bytes for stdout.
    pub stdout: Vec<u8>,
    /// The bytes for stderr.
    pub stderr: Vec<u8>,
    /// The exit code; 2 if stdout can't be written, with its text on stderr.
    pub exit: u8,
}

/// The signals by which others end a process; SIGTERM is the last (see [`LastAnswer::give_on_signals`]).
pub const ENDING: [c_int; 5] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGXCPU, libc::SIGTERM];

/// The signals of a crash, which others can send as well.
const CRASHES: [c_int; 7] =
    [libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV, libc::SIGSYS, libc::SIGTRAP];

/// Signals that would end the process and that nobody sends to end it: from now on they have no effect.
const IGNORED: [c_int; 7] =
    [libc::SIGALRM, libc::SIGIO, libc::SIGPROF, libc::SIGUSR1, libc::SIGUSR2, libc::SIGVTALRM, libc::SIGXFSZ];

/// The answer to a signal by which others end the process.
static TO_ENDING: AtomicPtr<LastAnswer> = AtomicPtr::new(ptr::null_mut());
/// The answer to a crash.
static TO_CRASH: AtomicPtr<LastAnswer> = AtomicPtr::new(ptr::null_mut());

impl LastAnswer {
    /// Makes every signal that would end the process, and that can be caught, end it with this answer, or have no
    /// effect. Processes that it starts have the default effects again. A handler that can't be set leaves the default effect.
    pub fn give_on_signals(self) {
        let answer: *mut LastAnswer = Box::leak(Box::new(self));
        for kept in [&TO_ENDING, &TO_CRASH] {
            kept.store(answer, Ordering::SeqCst);
        }
        // SIGTERM is the last of all: a process that handles it handles all the others as well.
        let all = of_this_system().chain(IGNORED).chain(CRASHES).chain(ENDING);
        all.for_each(set_handler);
    }
}

/// Lets other handlers decide about the signals that end a process; a crash still has the answer.
pub fn end_is_handled() {
    TO_ENDING.store(ptr::null_mut(), Ordering::SeqCst);
}

/// Withdraws the answer: another one is written now.
pub fn withdraw_last_answer() {
    for kept in [&TO_ENDING, &TO_CRASH] {
        kept.store(ptr::null_mut(), Ordering::SeqCst);
    }
}

/// Returns further signals that would end the process.
#[cfg(target_os = "linux")]
fn of_this_system() -> impl Iterator<Item = c_int> {
    [libc::SIGSTKFLT, libc::SIGPWR].into_iter().chain(libc::SIGRTMIN()..=libc::SIGRTMAX())
}

#[cfg(not(target_os = "linux"))]
fn of_this_system() -> impl Iterator<Item = c_int> {
    std::iter::empty()
}

fn set_handler(signal: c_int) {
    let handler: extern "C" fn(c_int) = handle;
    // SAFETY: all fields of `sigaction` may be zero: no flags, an empty mask, the default effect.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
    // SAFETY: `action` is initialised and outlives the calls; the handler calls only what is allowed in one. No other
    // signal is delivered while it runs: the frames of several at once don't fit on its stack.
    unsafe {
        libc::sigfillset(&raw mut action.sa_mask);
        libc::sigaction(signal, &action, ptr::null_mut());
    }
}

/// Writes a text at once; returns false if it was not written completely.
fn write(descriptor: c_int, text: &[u8]) -> bool {
    // SAFETY: the buffer is valid for its length; `write` is allowed in a handler.
    let written = unsafe { libc::write(descriptor, text.as_ptr().cast(), text.len()) };
    usize::try_from(written).is_ok_and(|written| written == text.len())
}

extern "C" fn handle(signal: c_int) {
    let is_crash = CRASHES.contains(&signal);
    let kept = match is_crash {
        true => &TO_CRASH,
        false if ENDING.contains(&signal) => &TO_ENDING,
        false => return,
    };
    let answer = kept.load(Ordering::SeqCst);
    // SAFETY: the pointer is null or that of a leaked value, which nobody changes.
    if let Some(answer) = unsafe { answer.as_ref() } {
        let is_written = write(1, &answer.stdout);
        write(2, if is_written { &answer.stderr } else { &answer.stdout });
        let exit = if is_written { answer.exit } else { 2 };
        // SAFETY: it is allowed in a handler and does not return.
        unsafe { libc::_exit(exit.into()) }
    }
    if is_crash {
        // SAFETY: both calls are allowed in a handler. The signal is handled again after the return, by its default.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
