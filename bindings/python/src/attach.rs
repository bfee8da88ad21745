//! Access to the interpreter for our threads.
//!
//! An interpreter that shuts down ends each thread that still tries to enter, at any point, and Rust can't be unwound
//! that way. So its exit first closes this gate (`atexit`), and waits for the threads that are inside.
//!
//! INVARIANT: once the gate is closed, none of our threads enters. Pending messages are dropped: nothing can receive
//! them.

use crate::process::Process;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The time for which the exit waits for threads that are inside. A longer call runs the user's code.
const PATIENCE: Duration = Duration::from_secs(2);

static IS_CLOSED: AtomicBool = AtomicBool::new(false);
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// A guard that counts the threads that are inside.
struct EntryGuard;

impl EntryGuard {
    fn enter() -> Option<Self> {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        let inside = EntryGuard;
        (!IS_CLOSED.load(Ordering::SeqCst)).then_some(inside)
    }
}

impl Drop for EntryGuard {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs `f` in the interpreter; returns `None` if it has shut down.
pub(crate) fn attach<T>(f: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let _inside = EntryGuard::enter()?;
    Python::try_attach(f)
}

/// Returns whether our threads may no longer enter.
pub(crate) fn is_closed() -> bool {
    IS_CLOSED.load(Ordering::SeqCst)
}

/// Closes the gate: at the interpreter's exit, after all sessions have been closed.
#[pyfunction]
pub(crate) fn close_interpreter(py: Python<'_>) {
    IS_CLOSED.store(true, Ordering::SeqCst);
    let process = Process::made(py);
    py.detach(|| {
        let until = Instant::now() + PATIENCE;
        while INSIDE.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        // The directory exists only if a session has kept something.
        drop(process.map(|process| std::fs::remove_dir_all(&process.private)));
    });
}
