//! Results of firings, for the loop that awaits them. It watches a pipe, so that no thread has to wait for the
//! interpreter to notify it.
//!
//! INVARIANT: the pipe contains a byte from the arrival of the first result until it is taken, so a write never blocks.

use crate::firing::{End, tell};
use crate::process::Process;
use pyo3::prelude::*;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// A result, and the function to call with it.
struct FinishedFiring {
    done: Py<PyAny>,
    end: Box<End>,
}

/// Results that our threads pass to one loop.
pub(crate) struct ResultQueue {
    ended: Mutex<Vec<FinishedFiring>>,
    reader: PipeReader,
    writer: PipeWriter,
}

impl ResultQueue {
    /// Queues a result, from any thread. Returns it if the loop can't be notified.
    pub(crate) fn leave(&self, done: Py<PyAny>, end: Box<End>) -> Result<(), (Py<PyAny>, Box<End>)> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.is_empty() && (&self.writer).write_all(b"!").is_err() {
            return Err((done, end));
        }
        ended.push(FinishedFiring { done, end });
        Ok(())
    }
}

/// The ends of firings that one loop awaits.
#[pyclass(frozen, weakref, module = "becket._becket")]
pub(crate) struct Ends {
    process: &'static Process,
    pub(crate) left: Arc<ResultQueue>,
}

#[pymethods]
impl Ends {
    /// # Errors
    /// Errors with `OSError` if the system has no pipe.
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        let process = Process::get(py)?;
        let (reader, writer) = io::pipe()?;
        Ok(Ends { process, left: Arc::new(ResultQueue { ended: Mutex::default(), reader, writer }) })
    }

    /// Returns the descriptor to watch: it is readable once there is a result.
    ///
    /// # Errors
    /// Errors with `OSError` if pipes of this system can't be watched.
    fn fileno(&self) -> PyResult<i32> {
        #[cfg(unix)]
        return Ok(std::os::fd::AsRawFd::as_raw_fd(&self.left.reader));
        #[cfg(not(unix))]
        return Err(io::Error::from(io::ErrorKind::Unsupported).into());
    }

    /// Takes all results, and calls their awaiters. For the loop's own thread.
    ///
    /// # Errors
    /// Errors with the first exception; all awaiters are called.
    fn take(&self, py: Python<'_>) -> PyResult<()> {
        let called = self.taken().into_iter().map(|FinishedFiring { done, end }| tell(py, *end, &done));
        called.fold(Ok(()), PyResult::and)
    }
}

impl Ends {
    fn taken(&self) -> Vec<FinishedFiring> {
        if !self.process.is_this() {
            // A forked child takes nothing: the byte is its parent's.
            return Vec::new();
        }
        let mut ended = self.left.ended.lock().unwrap_or_else(PoisonError::into_inner);
        // A spurious call must not wait here.
        if !ended.is_empty() {
            // If it can't be read, the loop calls again, and finds nothing.
            drop((&self.left.reader).read_exact(&mut [0]));
        }
        mem::take(&mut *ended)
    }
}
