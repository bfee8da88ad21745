//! State shared by all sessions of a process: one runtime, created on first use, and the directory for private files.
//!
//! A forked child has none of its parent's threads, so it uses nothing of its parent's state and creates its own.
//!
//! INVARIANT: the lock is taken only while holding the interpreter, and released before that is. A fork holds the
//! interpreter too, so no child inherits it locked.

use crate::errors::BecketError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tokio::runtime::{Builder, Handle, Runtime};

/// The number of threads: hooks wait more than they compute.
const THREADS: usize = 2;

/// The state that exists once per process.
pub(crate) struct Process {
    pid: u32,
    runtime: Runtime,
    /// The directory for private files of sessions, unless they name one. Deleted with the process.
    pub(crate) private: PathBuf,
}

static PROCESS: Mutex<Option<&'static Process>> = Mutex::new(None);

impl Process {
    /// Returns the state of this process.
    ///
    /// # Errors
    /// Errors if the system can't create its threads.
    pub(crate) fn get(_py: Python<'_>) -> PyResult<&'static Process> {
        let mut known = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        let pid = std::process::id();
        if let Some(process) = known.filter(|process| process.pid == pid) {
            return Ok(process);
        }
        let made: &'static Process = Box::leak(Box::new(Process::new(pid)?));
        *known = Some(made);
        Ok(made)
    }

    /// Returns the state of this process, if it was created.
    pub(crate) fn made(_py: Python<'_>) -> Option<&'static Process> {
        let known = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        known.filter(|process| process.pid == std::process::id())
    }

    fn new(pid: u32) -> PyResult<Self> {
        let runtime =
            Builder::new_multi_thread().worker_threads(THREADS).thread_name("becket").enable_all().build();
        let runtime = runtime
            .map_err(|error| BecketError::new_err(format!("the engine can't start its threads: {error}")))?;
        Ok(Process {
            pid,
            runtime,
            private: crate::env::temp().join(format!("becket-python-{pid}-{}", nonce())),
        })
    }

    /// Returns the process's runtime.
    pub(crate) fn runtime(&self) -> &Handle {
        self.runtime.handle()
    }

    /// Returns whether it belongs to the current process.
    pub(crate) fn is_this(&self) -> bool {
        self.pid == std::process::id()
    }

    /// Returns its id.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }
}

/// Returns a number that distinguishes the directories of processes with the same id.
fn nonce() -> u128 {
    std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos())
}
