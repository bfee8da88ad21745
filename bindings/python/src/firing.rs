//! One firing of an event: on the caller's thread as far as it gets without waiting, then on the runtime.

use crate::attach;
use crate::errors::{self, SessionClosed};
use crate::hook::{AROUND, OnCaller};
use crate::outcome::Outcome;
use crate::process::Process;
use crate::session::Open;
use becket_engine::CancellationToken;
use becket_model::Event;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// How often a thread that waits lets Python handle its signals.
const SIGNALS: Duration = Duration::from_millis(50);

/// Why there is no outcome.
pub(crate) enum NoOutcome {
    Cancelled,
    Panicked(String),
}

impl NoOutcome {
    pub(crate) fn error(&self) -> PyErr {
        match self {
            NoOutcome::Cancelled => SessionClosed::new_err(
                "the firing was cancelled: hooks that still ran were ended, so nothing was decided",
            ),
            NoOutcome::Panicked(what) => errors::broken(what),
        }
    }
}

/// A firing that goes on by itself once it is polled.
pub(crate) type Fires = BoxFuture<'static, Result<Outcome, NoOutcome>>;

/// Fires an event. The future never panics.
pub(crate) fn fires(open: Arc<Open>, event: Event, cancel: CancellationToken, around: Py<PyAny>) -> Fires {
    let firing = async move {
        let fired = open.session.fire(&event, &cancel).await;
        if let Some(told) = &open.told {
            told.all_told().await;
        }
        fired.map(|outcome| Outcome::new(outcome, &event)).map_err(|_| NoOutcome::Cancelled)
    };
    let firing = AssertUnwindSafe(AROUND.scope(Arc::new(around), firing)).catch_unwind();
    Box::pin(async move { firing.await.unwrap_or_else(|panic| Err(NoOutcome::Panicked(said(&*panic)))) })
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}

/// Polls it once, on this thread.
pub(crate) fn poll_once(fires: &mut Fires, process: &Process) -> Poll<Result<Outcome, NoOutcome>> {
    let _runtime = process.runtime().enter();
    let _callers = OnCaller::enter();
    // Whoever polls it next is woken at once.
    fires.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// Waits for it on this thread.
///
/// # Errors
/// There is none, or a signal's handler raised: then it is cancelled.
pub(crate) fn wait(
    py: Python<'_>,
    mut fires: Fires,
    process: &'static Process,
    cancel: &CancellationToken,
) -> PyResult<Outcome> {
    let mut raised = None;
    loop {
        let waited = py.detach(|| {
            let _callers = OnCaller::enter();
            process.runtime().block_on(async { tokio::time::timeout(SIGNALS, &mut fires).await })
        });
        match (waited, raised.take()) {
            (Ok(_), Some(error)) => return Err(error),
            (Ok(fired), None) => return fired.map_err(|why| why.error()),
            (Err(_), before) => raised = before.or(py.check_signals().err()),
        }
        if raised.is_some() {
            cancel.cancel();
        }
    }
}

/// A firing that waits for something.
#[pyclass(frozen, module = "becket._becket")]
pub(crate) struct Firing {
    process: &'static Process,
    fires: Mutex<Option<Fires>>,
    cancel: CancellationToken,
}

impl Firing {
    pub(crate) fn new(process: &'static Process, fires: Fires, cancel: CancellationToken) -> Self {
        Firing { process, fires: Mutex::new(Some(fires)), cancel }
    }
}

#[pymethods]
impl Firing {
    /// Goes on elsewhere, and then calls `done(outcome, error)`, one of them `None`. `done` must not wait.
    fn go_on(&self, done: Py<PyAny>) {
        let fires = self.fires.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(fires) = fires else { return };
        let process = self.process;
        process.runtime().spawn(async move {
            let fired = fires.await;
            // A thread of the runtime must not wait for the interpreter.
            process.runtime().spawn_blocking(move || attach::attach(|py| tell(py, fired, &done)));
        });
    }

    /// Ends its hooks.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.cancel.cancel());
    }
}

fn tell(py: Python<'_>, fired: Result<Outcome, NoOutcome>, done: &Py<PyAny>) {
    let told = match fired {
        Ok(outcome) => done.call1(py, (outcome, py.None())),
        Err(why) => done.call1(py, (py.None(), why.error())),
    };
    if let Err(error) = told {
        error.write_unraisable(py, None);
    }
}
