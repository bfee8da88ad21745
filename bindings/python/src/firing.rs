//! Work that Python awaits: one firing of an event, or one program. A firing of functions and one command at most runs on
//! Python's threads: the caller's, then the one that answers. Otherwise it runs on the runtime, so that no loop is blocked while processes start.

use crate::attach;
use crate::errors::{self, ExecError, SessionClosed};
use crate::hook::{AROUND, OnCaller};
use crate::objects::to_python;
use crate::outcome::Outcome;
use crate::process::Process;
use crate::results::{Ends, ResultQueue};
use crate::session::Open;
use becket_base::panic_message;
use becket_embed::{ExecReport, ExecRequest, caller_executor};
use becket_engine::{CancellationToken, ReadyEvent};
use futures_util::FutureExt;
use pyo3::prelude::*;
use std::mem;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The interval at which a waiting thread lets Python handle its signals.
const SIGNALS: Duration = Duration::from_millis(50);

/// The reason why there is no outcome.
pub(crate) enum NoOutcome {
    Cancelled,
    /// The program was ended, since the session was closed.
    Ended(String),
    /// The program has no exit code: the failure, and its kind.
    NotExecuted {
        why: String,
        kind: &'static str,
    },
    Panicked(String),
}

impl NoOutcome {
    pub(crate) fn error(&self) -> PyErr {
        match self {
            NoOutcome::Cancelled => SessionClosed::new_err(
                "the firing was cancelled: hooks that still ran were ended, so nothing was decided",
            ),
            NoOutcome::Ended(why) => SessionClosed::new_err(why.clone()),
            NoOutcome::NotExecuted { why, kind } => ExecError::new_err((why.clone(), *kind)),
            NoOutcome::Panicked(what) => errors::broken(what),
        }
    }
}

/// The result of a firing, or of a program.
pub(crate) enum Completion {
    Firing(Outcome),
    Program(ExecReport),
}

impl Completion {
    /// Converts it to an object.
    ///
    /// # Errors
    /// Errors if the interpreter has no memory left.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self {
            Completion::Firing(outcome) => Ok(Py::new(py, outcome)?.into_any()),
            Completion::Program(report) => to_python(py, &report).map(Bound::unbind),
        }
    }
}

/// The result, or the reason why there is none.
pub(crate) type End = Result<Completion, NoOutcome>;

/// Fires an event. The future never panics.
pub(crate) fn fires(
    open: Arc<Open>,
    event: ReadyEvent,
    cancel: CancellationToken,
    around: Py<PyAny>,
) -> impl Future<Output = End> + Send + 'static {
    // Boxed, since it is large and moved several times.
    let firing = Box::pin(async move {
        let fired = open.session.fire(event, &cancel).await;
        if let Some(told) = &open.told {
            told.all_reported().await;
        }
        let ended = fired.map(|(event, outcome)| Completion::Firing(Outcome::new(outcome, &event)));
        ended.map_err(|_| NoOutcome::Cancelled)
    });
    unless_it_panics(AROUND.scope(Arc::new(around), firing))
}

/// Runs a program. The future never panics.
pub(crate) fn executes(
    open: Arc<Open>,
    request: ExecRequest,
    cancel: CancellationToken,
) -> impl Future<Output = End> + Send + 'static {
    unless_it_panics(Box::pin(async move {
        open.session.exec(&request, &cancel).await.map(Completion::Program).map_err(|why| {
            let (kind, why) = (why.kind(), request.describe(&why));
            if cancel.is_cancelled() { NoOutcome::Ended(why) } else { NoOutcome::NotExecuted { why, kind } }
        })
    }))
}

fn unless_it_panics(work: impl Future<Output = End> + Send) -> impl Future<Output = End> + Send {
    let ended = AssertUnwindSafe(work).catch_unwind();
    ended.map(|ended| ended.unwrap_or_else(|panic| Err(NoOutcome::Panicked(panic_message(&*panic)))))
}

/// Waits for the result on this thread.
///
/// # Errors
/// Errors if there is no result, or if a signal's handler raised; the firing is then cancelled.
pub(crate) fn wait(
    py: Python<'_>,
    fires: impl Future<Output = End> + Send,
    process: &'static Process,
    cancel: &CancellationToken,
) -> PyResult<Py<PyAny>> {
    let mut fires = pin!(fires);
    let mut raised = None;
    loop {
        let waited = py.detach(|| {
            let _callers = OnCaller::enter();
            process.runtime().block_on(async { tokio::time::timeout(SIGNALS, &mut fires).await })
        });
        match (waited, raised.take()) {
            (Ok(_), Some(error)) => return Err(error),
            (Ok(fired), None) => return into_python(py, fired),
            (Err(_), before) => raised = before.or(py.check_signals().err()),
        }
        if raised.is_some() {
            cancel.cancel();
        }
    }
}

/// Returns the object of a result.
///
/// # Errors
/// Errors with the exception for a missing result.
pub(crate) fn into_python(py: Python<'_>, end: End) -> PyResult<Py<PyAny>> {
    end.map_err(|why| why.error())?.into_python(py)
}

/// A firing that waits for something, or a program. It makes progress without being polled; dropping it ends what it runs.
#[pyclass(frozen, module = "becket._becket")]
pub(crate) struct PendingOutcome {
    process: &'static Process,
    going: Arc<PendingState>,
    cancel: CancellationToken,
}

/// State shared by a firing and its awaiter.
struct PendingState {
    process: &'static Process,
    stage: Mutex<Stage>,
}

enum Stage {
    UnderWay,
    /// Called with the result, by the loop that takes it from this queue, if there is one.
    Awaited(Py<PyAny>, Option<Arc<ResultQueue>>),
    Ended(Box<End>),
    Told,
}

impl PendingOutcome {
    /// Starts the firing: on this thread up to its first wait, or to its end if it never waits; on the runtime unless
    /// `is_own`.
    pub(crate) fn start(
        process: &'static Process,
        fires: impl Future<Output = End> + Send + 'static,
        cancel: CancellationToken,
        is_own: bool,
    ) -> ControlFlow<Box<End>, Self> {
        let (pending, work) = PendingOutcome::of(process, fires, cancel);
        if is_own {
            let _callers = OnCaller::enter();
            caller_executor::begin(process.runtime(), work);
        } else {
            process.runtime().spawn(work);
        }
        match pending.going.turn(Stage::UnderWay) {
            Stage::Ended(end) => ControlFlow::Break(end),
            Stage::UnderWay | Stage::Awaited(..) | Stage::Told => ControlFlow::Continue(pending),
        }
    }

    /// Starts work on the runtime.
    pub(crate) fn spawn(
        process: &'static Process,
        work: impl Future<Output = End> + Send + 'static,
        cancel: CancellationToken,
    ) -> Self {
        let (pending, work) = PendingOutcome::of(process, work, cancel);
        process.runtime().spawn(work);
        pending
    }

    fn of(
        process: &'static Process,
        fires: impl Future<Output = End> + Send + 'static,
        cancel: CancellationToken,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let going = Arc::new(PendingState { process, stage: Mutex::new(Stage::UnderWay) });
        let ends = going.clone();
        (PendingOutcome { process, going, cancel }, async move { ends.ended(fires.await) })
    }
}

impl PendingState {
    /// Moves to another stage.
    fn turn(&self, stage: Stage) -> Stage {
        mem::replace(&mut *self.stage.lock().unwrap_or_else(PoisonError::into_inner), stage)
    }

    /// Records the result, from any thread.
    fn ended(&self, end: End) {
        let end = Box::new(end);
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let Stage::Awaited(done, left) = mem::replace(&mut *stage, Stage::Told) else {
            *stage = Stage::Ended(end);
            return;
        };
        drop(stage);
        if OnCaller::is_on() {
            attach::attach(|py| tell_or_report(py, *end, &done));
            return;
        }
        let unsaid = match left {
            Some(left) => left.leave(done, end).err(),
            None => Some((done, end)),
        };
        if let Some((done, end)) = unsaid {
            // A thread of the runtime must not wait for the interpreter.
            let report = move || attach::attach(|py| tell_or_report(py, *end, &done));
            self.process.runtime().spawn_blocking(report);
        }
    }

    /// Calls `done` with the result, immediately if it is already available.
    fn awaited(&self, py: Python<'_>, done: Py<PyAny>, left: Option<Arc<ResultQueue>>) -> PyResult<()> {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        match mem::replace(&mut *stage, Stage::Told) {
            Stage::Ended(end) => {
                drop(stage);
                return tell(py, *end, &done);
            }
            Stage::UnderWay | Stage::Awaited(..) => *stage = Stage::Awaited(done, left),
            Stage::Told => {}
        }
        Ok(())
    }
}

#[pymethods]
impl PendingOutcome {
    /// Calls `done(result, error)` at its end, one of them `None`: on the loop of `ends`, or from any thread. `done`
    /// must not wait.
    ///
    /// # Errors
    /// Errors with an exception of `done`, if the result is already available.
    fn go_on(&self, py: Python<'_>, done: Py<PyAny>, ends: Option<&Ends>) -> PyResult<()> {
        self.going.awaited(py, done, ends.map(|ends| ends.left.clone()))
    }

    /// Ends its hooks, or its program.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.cancel.cancel());
    }
}

impl Drop for PendingOutcome {
    fn drop(&mut self) {
        if self.process.is_this() {
            self.cancel.cancel();
        }
    }
}

/// Calls the awaiter of a result. If it raises, which a signal handler may do anywhere, it is called again, so that no
/// awaiter is left waiting.
///
/// # Errors
/// Errors with the first exception.
pub(crate) fn tell(py: Python<'_>, end: End, done: &Py<PyAny>) -> PyResult<()> {
    let (ended, error) = match into_python(py, end) {
        Ok(ended) => (Some(ended), None),
        Err(error) => (None, Some(error.into_value(py))),
    };
    let called = done.call1(py, (&ended, &error));
    if called.is_err() {
        done.call1(py, (ended, error))?;
    }
    called.map(drop)
}

/// Does the same if the exception can't be reported.
fn tell_or_report(py: Python<'_>, end: End, done: &Py<PyAny>) {
    if let Err(error) = tell(py, end, done) {
        error.write_unraisable(py, None);
    }
}
