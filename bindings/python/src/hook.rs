//! Python functions as hooks of the engine (`protocol.md` H9).
//!
//! The Python side starts a call and returns at once; the answer arrives through a [`Reply`]. So no thread of the
//! engine ever runs a handler or waits for one.
//!
//! INVARIANT: an invalid answer fails the hook. The engine decides the consequences.

use crate::attach;
use crate::objects::to_python;
use crate::process::Process;
use crate::reply::{CancelOnDrop, Reply};
use becket_engine::{CallbackAnswer, CancellationToken, Hook};
use becket_model::Event;
use becket_model::wire::input;
use futures_util::future::BoxFuture;
use pyo3::prelude::*;
use serde::Serialize;
use std::cell::Cell;
use std::sync::Arc;

tokio::task_local! {
    /// The caller's loop and context variables, as the Python side keeps them.
    pub(crate) static AROUND: Arc<Py<PyAny>>;
}

thread_local! {
    /// True while a firing is polled on one of the user's threads, which has released the interpreter.
    static IS_CALLERS: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as the caller's own as long as it is held.
pub(crate) struct OnCaller {
    before: bool,
}

impl OnCaller {
    pub(crate) fn enter() -> Self {
        OnCaller { before: IS_CALLERS.replace(true) }
    }

    /// Returns whether this thread polls a firing.
    pub(crate) fn is_on() -> bool {
        IS_CALLERS.get()
    }
}

impl Drop for OnCaller {
    fn drop(&mut self) {
        IS_CALLERS.set(self.before);
    }
}

/// A Python function that starts a call: `begin(fields, around, reply)` returns a function that cancels the call, or
/// `None`.
#[derive(Clone)]
pub(crate) struct CallStarter {
    process: &'static Process,
    begin: Arc<Py<PyAny>>,
}

impl CallStarter {
    pub(crate) fn new(process: &'static Process, begin: Py<PyAny>) -> Self {
        CallStarter { process, begin: Arc::new(begin) }
    }

    /// Calls the function, and waits for the answer.
    pub(crate) async fn call(&self, fields: impl Serialize) -> CallbackAnswer {
        let (reply, answer) = Reply::new(self.process);
        let around = AROUND.try_with(Arc::clone).ok();
        let begun = if OnCaller::is_on() {
            self.begin(&fields, around.as_deref(), reply)
        } else {
            self.begin_elsewhere(&fields, around, reply).await
        };
        drop(fields);
        let take_back = match begun {
            Ok(withdraw) => CancelOnDrop::new(self.process, withdraw),
            Err(why) => return CallbackAnswer::Failed(why),
        };
        let answer = answer.await;
        take_back.answered();
        answer.unwrap_or_else(|_| CallbackAnswer::Failed("it was collected before it answered".to_owned()))
    }

    /// Starts the call elsewhere: a thread of the runtime must not wait for the interpreter.
    async fn begin_elsewhere(
        &self,
        fields: &impl Serialize,
        around: Option<Arc<Py<PyAny>>>,
        reply: Reply,
    ) -> Result<Option<Py<PyAny>>, String> {
        let fields = serde_json::to_value(fields).map_err(|error| error.to_string())?;
        let this = self.clone();
        let begun = move || this.begin(&fields, around.as_deref(), reply);
        match self.process.runtime().spawn_blocking(begun).await {
            Ok(begun) => begun,
            Err(error) => Err(error.to_string()),
        }
    }

    fn begin(
        &self,
        fields: &impl Serialize,
        around: Option<&Py<PyAny>>,
        reply: Reply,
    ) -> Result<Option<Py<PyAny>>, String> {
        let begun = attach::attach(|py| {
            let around = around.map_or_else(|| py.None(), |around| around.clone_ref(py));
            let begun = self.begin.call1(py, (to_python(py, fields)?, around, reply))?;
            Ok::<_, PyErr>((!begun.is_none(py)).then_some(begun))
        });
        match begun {
            None => Err("the interpreter is going down".to_owned()),
            Some(begun) => begun.map_err(|error| error.to_string()),
        }
    }
}

/// A hook of Python.
pub(crate) struct PythonHook(pub(crate) CallStarter);

impl Hook for PythonHook {
    fn call<'a>(&'a self, event: &'a Event, _: &'a CancellationToken) -> BoxFuture<'a, CallbackAnswer> {
        Box::pin(async move { self.0.call(input::serializable(event)).await })
    }
}
