//! The way into the interpreter for threads of ours.
//!
//! An interpreter that goes down ends each thread that still wants in, wherever it stands, and Rust can't be left that way. So
//! its exit first closes this gate (`atexit`), and waits for those that are inside.
//!
//! INVARIANT: once the gate is closed, no thread of ours enters. What would have been said is dropped: nobody is left to hear it.

use crate::process::Process;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long the exit waits for threads that are inside. One that is longer runs code of the user.
const PATIENCE: Duration = Duration::from_secs(2);

static IS_CLOSED: AtomicBool = AtomicBool::new(false);
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Counts who is inside.
struct Inside;

impl Inside {
    fn enter() -> Option<Self> {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        let inside = Inside;
        (!IS_CLOSED.load(Ordering::SeqCst)).then_some(inside)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs `f` in the interpreter; `None` where there is none any more.
pub(crate) fn attach<T>(f: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let _inside = Inside::enter()?;
    Python::try_attach(f)
}

/// Whether nobody of ours may enter any more.
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
        // Where no session has kept anything there is none.
        drop(process.map(|process| std::fs::remove_dir_all(&process.private)));
    });
}
