//! One session, as Python holds it.
//!
//! It belongs to the process that opened it: in a forked child each use is an error, and dropping it there ends
//! nothing.

use crate::errors::{
    self, BecketError, EventError, ExecError, ForkedError, RegistrationError, SessionClosed,
};
use crate::firing::{self, PendingOutcome};
use crate::hook::{CallStarter, OnCaller, PythonHook};
use crate::objects::to_python;
use crate::observer::{EventReporter, QueueObserver};
use crate::person::Person;
use crate::process::Process;
use crate::{env, values};
use becket_embed::models::{self, Choice};
use becket_embed::view::Report;
use becket_embed::{ExecRequest, Host, NotOpened, Registration};
use becket_engine::{CancellationToken, Profile};
use becket_model::Event;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::mem;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A session that is open.
pub(crate) struct Open {
    pub(crate) session: becket_embed::Session,
    pub(crate) told: Option<Arc<EventReporter>>,
    is_closed: AtomicBool,
}

/// A session.
#[pyclass(frozen, weakref, module = "becket._becket")]
pub(crate) struct Session {
    process: &'static Process,
    open: Option<Arc<Open>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.process.is_this() {
            // Its processes and threads are the parent's.
            mem::forget(self.open.take());
        }
    }
}

#[pymethods]
impl Session {
    /// Opens a session, for which it reads the configuration.
    ///
    /// # Errors
    /// Errors with `ConfigError` if the options can't be satisfied, or the configuration forbids the start.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        wants: &Bound<'_, PyDict>,
        managed_dir: Option<PathBuf>,
        ask: Option<Py<PyAny>>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let process = Process::get(py)?;
        let wrong = |why: String| errors::ConfigError::new_err((why,));
        let wants = values::object(wants).map_err(|error| wrong(error.value(py).to_string()))?;
        let wants = serde_json::from_value(Value::Object(wants)).map_err(|error| wrong(error.to_string()))?;
        let told = tell.map(EventReporter::start).transpose().map_err(|error| {
            BecketError::new_err(format!("no thread could be started for `on_run_event`: {error}"))
        })?;
        let (observer, person) =
            (told.clone().map(QueueObserver), ask.map(|ask| Person(CallStarter::new(process, ask))));
        let opened = py.detach(|| {
            let _runtime = process.runtime().enter();
            host(process, managed_dir)?.open(wants, CancellationToken::new(), |mut builder| {
                if let Some(observer) = observer {
                    builder = builder.observe(observer);
                }
                match person {
                    Some(person) => builder.ask_user(person),
                    None => builder,
                }
            })
        });
        let session = opened.map_err(|why| errors::not_opened(py, &why))?;
        let open = Open { session, told, is_closed: AtomicBool::new(false) };
        Ok(Session { process, open: Some(Arc::new(open)) })
    }

    /// Returns its id, as hooks see it.
    #[getter]
    fn id(&self) -> PyResult<String> {
        Ok(self.alive()?.session.id().to_string())
    }

    /// Fires an event. If it runs functions and one command at most, it runs here up to its first wait. Returns an
    /// `Outcome`, or the `PendingOutcome` that continues.
    ///
    /// # Errors
    /// Errors with `EventError` if the fields don't fit.
    fn start<'py>(
        &self,
        py: Python<'py>,
        event: &str,
        fields: &Bound<'py, PyDict>,
        around: Py<PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let open = self.alive()?;
        let event = event_of(open, event, fields)?;
        let started = py.detach(|| {
            let event = open.session.ready(event);
            let is_own = becket_embed::runs_on_caller(&event);
            let cancel = open.session.cancel().child_token();
            let fires = firing::fires(open.clone(), event, cancel.clone(), around);
            PendingOutcome::start(self.process, fires, cancel, is_own)
        });
        match started {
            ControlFlow::Continue(firing) => Ok(firing.into_pyobject(py)?.into_any()),
            ControlFlow::Break(end) => firing::into_python(py, *end).map(|ended| ended.into_bound(py)),
        }
    }

    /// Fires an event and waits for it on this thread.
    ///
    /// # Errors
    /// Errors with `EventError` if the fields don't fit, or with an exception of a signal's handler.
    fn run(
        &self,
        py: Python<'_>,
        event: &str,
        fields: &Bound<'_, PyDict>,
        around: Py<PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let open = self.alive()?;
        self.may_wait()?;
        let event = event_of(open, event, fields)?;
        let cancel = open.session.cancel().child_token();
        let event = py.detach(|| open.session.ready(event));
        let fires = firing::fires(open.clone(), event, cancel.clone(), around);
        firing::wait(py, fires, self.process, &cancel)
    }

    /// Starts a program under the rules of the session. Returns the `PendingOutcome` that ends with its report.
    ///
    /// # Errors
    /// Errors with `ExecError` if the request can't be read.
    fn start_exec(&self, py: Python<'_>, wants: &Bound<'_, PyDict>) -> PyResult<PendingOutcome> {
        let open = self.alive()?;
        let request = exec_request(wants)?;
        let cancel = open.session.cancel().child_token();
        let runs = firing::executes(open.clone(), request, cancel.clone());
        Ok(py.detach(|| PendingOutcome::spawn(self.process, runs, cancel)))
    }

    /// Runs a program under the rules of the session, and waits for its end on this thread.
    ///
    /// # Errors
    /// Errors with `ExecError` if there is no exit code, or with an exception of a signal's handler.
    fn run_exec(&self, py: Python<'_>, wants: &Bound<'_, PyDict>) -> PyResult<Py<PyAny>> {
        let open = self.alive()?;
        self.may_wait()?;
        let request = exec_request(wants)?;
        let cancel = open.session.cancel().child_token();
        firing::wait(py, firing::executes(open.clone(), request, cancel.clone()), self.process, &cancel)
    }

    /// Returns the hooks that an event would run.
    fn plan<'py>(
        &self,
        py: Python<'py>,
        event: &str,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let open = self.alive()?;
        let event = event_of(open, event, fields)?;
        let planned = py.detach(|| open.session.plan(&event));
        to_python(py, &planned)
    }

    /// Returns the hooks that an event would run, and the reasons why others would not.
    fn explain<'py>(
        &self,
        py: Python<'py>,
        event: &str,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let open = self.alive()?;
        let event = event_of(open, event, fields)?;
        let planned = py.detach(|| open.session.explain(&event));
        to_python(py, &Report::Explain(planned))
    }

    /// Returns the problems of the configuration.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let open = self.alive()?;
        let checked = py.detach(|| open.session.check());
        to_python(py, &Report::Check(checked))
    }

    /// Reads the configuration again.
    ///
    /// # Errors
    /// Errors with `ConfigError` if it can no longer be read; it then stays unchanged.
    fn reload<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let open = self.alive()?;
        let reloaded = py.detach(|| open.session.reload());
        let checked = reloaded.map_err(|why| errors::ConfigError::new_err((why,)))?;
        to_python(py, &Report::Check(checked))
    }

    /// Returns the events that have hooks or permission rules.
    fn events(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let open = self.alive()?;
        Ok(py.detach(|| open.session.events()))
    }

    /// Takes the results of background hooks.
    fn background<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let open = self.alive()?;
        let taken = py.detach(|| open.session.background());
        to_python(py, &taken)
    }

    /// Returns the environment files that hooks have filled; later ones win.
    fn env_files(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let open = self.alive()?;
        let files = py.detach(|| open.session.env_files());
        Ok(files.iter().map(|file| file.display().to_string()).collect())
    }

    /// Adds a hook; `begin` starts a call of it.
    ///
    /// # Errors
    /// Errors with `RegistrationError` if the hook can't be registered.
    fn register(&self, py: Python<'_>, wants: &Bound<'_, PyDict>, begin: Py<PyAny>) -> PyResult<()> {
        let open = self.alive()?;
        let wants =
            values::object(wants).map_err(|error| RegistrationError::new_err(error.value(py).to_string()))?;
        let registration: Registration = serde_json::from_value(Value::Object(wants))
            .map_err(|error| RegistrationError::new_err(error.to_string()))?;
        let hook = Arc::new(PythonHook(CallStarter::new(self.process, begin)));
        py.detach(|| open.session.register(&registration, hook)).map_err(RegistrationError::new_err)
    }

    /// Removes a registered hook.
    ///
    /// # Errors
    /// Errors with `RegistrationError` if it does not exist.
    fn unregister(&self, py: Python<'_>, id: &str) -> PyResult<()> {
        let open = self.alive()?;
        py.detach(|| open.session.unregister(id)).map_err(RegistrationError::new_err)
    }

    /// Ends everything that it runs, and waits for its end. In a forked child it does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Some(open) = self.open.as_ref().filter(|_| self.process.is_this()) else { return Ok(()) };
        self.may_wait()?;
        if !open.is_closed.swap(true, Ordering::SeqCst) {
            py.detach(|| self.process.runtime().block_on(open.session.close()));
        }
        Ok(())
    }

    /// Ends everything that it runs without waiting, as its engine was collected.
    fn abandon(&self) {
        let Some(open) = self.open.as_ref().filter(|_| self.process.is_this()) else { return };
        if !open.is_closed.swap(true, Ordering::SeqCst) {
            let open = open.clone();
            self.process.runtime().spawn(async move { open.session.close().await });
        }
    }
}

impl Session {
    fn alive(&self) -> PyResult<&Arc<Open>> {
        if !self.process.is_this() {
            return Err(ForkedError::new_err(format!(
                "this engine belongs to process {}, and this is its forked child {}: make an engine here",
                self.process.pid(),
                std::process::id()
            )));
        }
        let open = self.open.as_ref().filter(|open| !open.is_closed.load(Ordering::SeqCst));
        open.ok_or_else(|| SessionClosed::new_err("the engine is closed"))
    }

    /// Errors on a thread that polls a firing, which can't wait for another one.
    fn may_wait(&self) -> PyResult<()> {
        if OnCaller::is_on() {
            return Err(BecketError::new_err(
                "this would wait for the engine inside of its own call: await it, or do it from another thread",
            ));
        }
        Ok(())
    }
}

fn event_of(open: &Open, event: &str, fields: &Bound<'_, PyDict>) -> PyResult<Event> {
    let wrong = |why: String| EventError::new_err(format!("`{event}`: {why}"));
    let fields: Vec<_> =
        values::object(fields).map_err(|error| wrong(error.value(fields.py()).to_string()))?;
    open.session.event(event, fields).map_err(wrong)
}

fn exec_request(wants: &Bound<'_, PyDict>) -> PyResult<ExecRequest> {
    let wrong = |why: String| ExecError::new_err((why, "not_run"));
    let wants = values::object(wants).map_err(|error| wrong(error.value(wants.py()).to_string()))?;
    serde_json::from_value(Value::Object(wants)).map_err(|error| wrong(error.to_string()))
}

/// Returns the host of this session. Its models are those whose keys are in the environment.
fn host(process: &Process, managed: Option<PathBuf>) -> Result<Host, NotOpened> {
    let environment = env::surroundings();
    let models = models::models(&Choice::default(), &environment);
    Ok(Host {
        environment,
        profile: Profile::agent(),
        settings: None,
        plugins: Vec::new(),
        managed,
        strict: false,
        models: models.map_err(|error| NotOpened::Wrong(error.to_string()))?,
        private: process.private.clone(),
    })
}
