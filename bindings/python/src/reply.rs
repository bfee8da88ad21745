//! The answer of a Python function: once, from any thread, or never.
//!
//! The thread that answers continues the firing that waits for it.

use crate::hook::OnCaller;
use crate::process::Process;
use crate::{attach, values};
use becket_embed::caller_executor;
use becket_engine::CallbackAnswer;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};
use std::sync::{Mutex, PoisonError};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// The receiver of a hook's answer.
#[pyclass(frozen, module = "becket._becket")]
pub(crate) struct Reply {
    process: &'static Process,
    sender: Mutex<Option<Sender<CallbackAnswer>>>,
}

#[pymethods]
impl Reply {
    /// Answers as a command would print it; `None` decides nothing. Returns false if the answer is no longer awaited.
    ///
    /// # Errors
    /// Errors if the object can't be converted to JSON; the call then still waits for an answer.
    #[pyo3(signature = (answer, /))]
    fn answer(&self, py: Python<'_>, answer: Option<&Bound<'_, PyDict>>) -> PyResult<bool> {
        let answer = match answer {
            None => CallbackAnswer::Silent,
            Some(object) => CallbackAnswer::Json(values::object::<Map<String, Value>>(object)?.into()),
        };
        Ok(self.send(py, answer))
    }

    /// Reports that the hook has failed, and why, with the readable part of its answer. Returns false if the answer is
    /// no longer awaited.
    ///
    /// # Errors
    /// Errors if the object can't be converted to JSON; the call then still waits for an answer.
    #[pyo3(signature = (why, answer = None, /))]
    fn fail(&self, py: Python<'_>, why: String, answer: Option<&Bound<'_, PyDict>>) -> PyResult<bool> {
        let failed = match answer {
            None => CallbackAnswer::Failed(why),
            Some(answer) => CallbackAnswer::InPart { answer: values::object(answer)?, why },
        };
        Ok(self.send(py, failed))
    }
}

impl Reply {
    pub(crate) fn new(process: &'static Process) -> (Self, Receiver<CallbackAnswer>) {
        let (sender, receiver) = channel();
        (Reply { process, sender: Mutex::new(Some(sender)) }, receiver)
    }

    fn send(&self, py: Python<'_>, answer: CallbackAnswer) -> bool {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(sender) = sender else { return false };
        if !self.process.is_this() {
            // A forked child answers nothing: the firing is its parent's.
            std::mem::forget(sender);
            return false;
        }
        let (is_heard, woken) = caller_executor::collect_woken(|| sender.send(answer).is_ok());
        if !woken.is_empty() {
            py.detach(|| {
                let _callers = OnCaller::enter();
                woken.poll();
            });
        }
        is_heard
    }
}

/// A guard that cancels a call if it is dropped without an answer: at its limit, or with its firing.
pub(crate) struct CancelOnDrop {
    process: &'static Process,
    withdraw: Option<Py<PyAny>>,
}

impl CancelOnDrop {
    pub(crate) fn new(process: &'static Process, withdraw: Option<Py<PyAny>>) -> Self {
        CancelOnDrop { process, withdraw }
    }

    /// Disarms the guard: the call was answered.
    pub(crate) fn answered(mut self) {
        self.withdraw = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(withdraw) = self.withdraw.take() else { return };
        if !self.process.is_this() || attach::is_closed() {
            return;
        }
        // The dropping thread may not be allowed to wait for the interpreter.
        self.process.runtime().spawn_blocking(move || {
            attach::attach(|py| {
                if let Err(error) = withdraw.call0(py) {
                    error.write_unraisable(py, None);
                }
            })
        });
    }
}
