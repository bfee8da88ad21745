//! The registry of a session's background tasks: starts, lists, stops, reports and ends them.

use super::id::TaskId;
use super::output::{Output, OutputFile};
use super::state::{EndGuard, State};
use super::task::{About, BackgroundTask, Observer, TaskEnd, TaskInfo, TaskRun, TaskStatus};
use becket_engine::{CancellationToken, catch_panic};
use becket_process::ByteCap;
use serde_json::{Map, Value};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;

/// The maximum number of tasks that run at once.
const MOST: usize = 256;
/// The time for an ended task to clean up before it is dropped.
const GRACE: Duration = Duration::from_secs(10);
/// The time for a dropped task to notice: one that blocks its thread never does.
const DROP: Duration = Duration::from_secs(2);
/// The number of bytes of an output that are kept, if the host sets none.
const CAP: ByteCap = ByteCap::bytes(16 << 20);

/// The reason why a task was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The session is ending.
    #[error("the session is ending: nothing is started in the background any more")]
    Closed,
    /// There are too many tasks.
    #[error("{MOST} tasks run in the background already: stop one of them with TaskStop first")]
    TooMany,
    /// The id that the task brought is in use.
    #[error("there is a task `{0}` already: give it another id")]
    IdInUse(TaskId),
    /// The output of the task can't be stored.
    #[error("its output can't be kept in `{}`: {error}", .directory.display())]
    Output {
        /// The directory for the output.
        directory: PathBuf,
        /// The error reported by the system.
        error: io::Error,
    },
    /// There is no runtime to run the task.
    #[error("there is no tokio runtime here to run it: start it inside one")]
    NoRuntime,
}

/// A session's background tasks. Cheap to clone; all clones share one registry. Dropping the last clone ends the
/// running tasks without grace; [`Tasks::close`] ends them gently, and waits.
#[derive(Clone)]
pub struct Tasks {
    inner: Arc<Inner>,
}

/// The options of a host for its tasks.
#[derive(Clone)]
pub struct TaskOptions {
    /// The number of bytes of each output that are kept: 16 MiB by default. 64 KiB of its end are kept in addition.
    pub cap: ByteCap,
    /// Called with each task that has begun and with each that has ended, on any thread. It must not block.
    pub observer: Option<Observer>,
}

impl Default for TaskOptions {
    fn default() -> Self {
        Self { cap: CAP, observer: None }
    }
}

impl fmt::Debug for TaskOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskOptions").field("cap", &self.cap).finish_non_exhaustive()
    }
}

struct Inner {
    directory: PathBuf,
    options: TaskOptions,
    list: Mutex<List>,
    /// Notified each time a task ends.
    news: watch::Sender<()>,
}

#[derive(Default)]
struct List {
    closed: bool,
    /// The tasks in the order in which they were started.
    tasks: Vec<Entry>,
}

struct Entry {
    state: Arc<State>,
    cancel: CancellationToken,
    work: AbortHandle,
}

impl Tasks {
    /// Creates a registry that keeps the output of tasks in this directory, which is created with the first task,
    /// readable by the user only. The files stay: the host removes the directory when it is no longer needed.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self::with_options(directory, TaskOptions::default())
    }

    /// Creates a registry with the options of a host.
    #[must_use]
    pub fn with_options(directory: impl Into<PathBuf>, options: TaskOptions) -> Self {
        let (list, news) = (Mutex::default(), watch::Sender::new(()));
        Self { inner: Arc::new(Inner { directory: directory.into(), options, list, news }) }
    }

    /// Returns the directory of outputs.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.inner.directory
    }

    /// Starts a task, on the runtime that this is called in. It runs until its own end, [`Tasks::stop`],
    /// [`Tasks::close`], or the drop of the last clone.
    ///
    /// # Errors
    /// Returns a [`StartError`] if nothing was started.
    pub fn start(&self, task: impl BackgroundTask) -> Result<TaskInfo, StartError> {
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        let about = task.about();
        let (go, started) = oneshot::channel();
        let begun = {
            let mut list = self.inner.lock();
            list.has_room()?;
            let (id, file) = self.inner.file_for(&about, &list)?;
            let (state, cancel) = (Arc::new(State::new(id.clone(), about, file)), CancellationToken::new());
            let run = TaskRun { id, cancel: cancel.clone(), output: state.output.clone() };
            let work = carry_out(started, Box::new(task), run, self.inner.ending(&state));
            let (begun, work) = (state.info(), runtime.spawn(work).abort_handle());
            list.tasks.push(Entry { state, cancel, work });
            begun
        };
        // The report of its start has to precede that of its end.
        self.inner.observe(&begun);
        let _ = go.send(());
        Ok(begun)
    }

    /// Returns all tasks, in the order in which they were started, including those that have ended.
    #[must_use]
    pub fn list(&self) -> Vec<TaskInfo> {
        self.inner.states().iter().map(|state| state.info()).collect()
    }

    /// Returns one task.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<TaskInfo> {
        self.inner.state(id).map(|state| state.info())
    }

    /// Returns the running tasks, as in Stop and SubagentStop (`background_tasks`).
    #[must_use]
    pub fn background_tasks(&self) -> Vec<Map<String, Value>> {
        let tasks = self.list();
        let running = tasks.iter().filter(|task| task.status == TaskStatus::Running);
        running.map(TaskInfo::on_the_wire).collect()
    }

    /// Returns the output of a task so far: all of it, or its beginning and its end; `None` if the task does not
    /// exist. Reads a file of at most a few hundred KiB.
    #[must_use]
    pub fn output(&self, id: &str) -> Option<String> {
        self.inner.state(id).map(|state| state.output.shown())
    }

    /// Takes the tasks that have ended since the last report to the model, each once, in the order in which they were
    /// started: [`TaskInfo::words`] is the text for the model on the next turn. A task whose end `TaskOutput` or
    /// `TaskStop` has already reported is not included.
    #[must_use]
    pub fn take_ended(&self) -> Vec<TaskInfo> {
        let states = self.inner.states();
        states
            .iter()
            .filter(|state| state.is_news() && state.mark_reported())
            .map(|state| state.info())
            .collect()
    }

    /// Returns whether [`Tasks::take_ended`] has a task to report to the model: any but a teammate, which its team
    /// reports.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.inner.states().iter().any(|state| state.is_news() && !state.kind.is_teammate())
    }

    /// Returns whether a task has ended on its own and is not reported to the model yet. A stopped task does not wake
    /// the session: it is reported with the next request.
    #[must_use]
    pub fn has_wake(&self) -> bool {
        let wakes = |state: &State| state.is_news() && !state.kind.is_teammate() && !state.is_killed();
        self.inner.states().iter().any(|state| wakes(state))
    }

    /// Waits until [`Tasks::has_wake`] is true, so that an idle host can start a turn (A4). Cancel-safe.
    pub async fn wakes(&self) {
        let mut news = self.inner.news.subscribe();
        while !self.has_wake() {
            // INVARIANT: `self` owns the sender, so the channel can't close while this waits.
            let _ = news.changed().await;
        }
    }

    /// Waits until [`Tasks::has_wake`] is true or no reportable task runs. Cancel-safe.
    pub async fn settles(&self) {
        let mut news = self.inner.news.subscribe();
        while !self.has_wake() && self.running() > 0 {
            // INVARIANT: `self` owns the sender, so the channel can't close while this waits.
            let _ = news.changed().await;
        }
    }

    /// Returns the number of running tasks that are reported to the model; teammates wait on their own.
    #[must_use]
    pub fn running(&self) -> usize {
        let tasks = self.list();
        tasks.iter().filter(|task| task.status == TaskStatus::Running && !task.kind.is_teammate()).count()
    }

    /// Waits until a task ends; returns at once if the end of one, other than a teammate, is not reported yet.
    /// Cancel-safe.
    pub async fn has_changed(&self) {
        let mut news = self.inner.news.subscribe();
        if !self.has_news() {
            // INVARIANT: `self` owns the sender, so the channel can't close while this waits.
            let _ = news.changed().await;
        }
    }

    /// Records that the model knows the state of this task: its end is not reported again.
    pub(super) fn mark_reported(&self, id: &TaskId) {
        if let Some(state) = self.inner.state(id.as_str()).filter(|state| !state.is_running()) {
            state.mark_reported();
        }
    }

    /// Resolves as soon as [`Tasks::take_ended`] has a task to report, so that an idle host can wake. Cancel-safe.
    pub async fn has_ended(&self) {
        let mut news = self.inner.news.subscribe();
        while !self.inner.states().iter().any(|state| state.is_news()) {
            // INVARIANT: `self` owns the sender, so the channel can't close while this waits.
            let _ = news.changed().await;
        }
    }

    /// Waits for a task's end and returns its state; `None` if the task does not exist. Cancel-safe.
    pub async fn wait(&self, id: &str) -> Option<TaskInfo> {
        let state = self.inner.state(id)?;
        state.ended().await;
        Some(state.info())
    }

    /// Ends a task, waits until it is gone, and returns its state. A task that had already ended keeps its own end.
    /// Returns `None` if the task does not exist.
    pub async fn stop(&self, id: &str) -> Option<TaskInfo> {
        let (state, cancel, work) = self.inner.entry(id)?;
        cancel.cancel();
        end(&state, &work).await;
        Some(state.info())
    }

    /// Ends all tasks at once and waits until they are gone (`protocol.md` H4); no more tasks are started. Returns
    /// those that were still running. The runner cleans up after command lines: if the runtime ends next, wait for
    /// [`becket_process::Runner::all_gone`], too.
    pub async fn close(&self) -> Vec<TaskInfo> {
        let running: Vec<_> = {
            let mut list = self.inner.lock();
            list.closed = true;
            let running = list.tasks.iter().filter(|entry| entry.state.is_running());
            running
                .map(|entry| (Arc::clone(&entry.state), entry.cancel.clone(), entry.work.clone()))
                .collect()
        };
        running.iter().for_each(|(_, cancel, _)| cancel.cancel());
        futures_util::future::join_all(running.iter().map(|(state, _, work)| end(state, work))).await;
        running.iter().map(|(state, _, _)| state.info()).collect()
    }
}

/// Runs the task. The end guard outlives the work: a reported end means that nothing of the work is left.
async fn carry_out(
    started: oneshot::Receiver<()>,
    task: Box<dyn BackgroundTask>,
    run: TaskRun,
    ending: EndGuard,
) {
    let _ = started.await;
    let ended = catch_panic(async move { task.run(run).await }).await;
    let ended =
        ended.unwrap_or_else(|message| TaskEnd::Failed { because: format!("it panicked: {message}") });
    ending.end(ended);
}

/// Waits for the end of a task that was cancelled; drops it if it does not end.
async fn end(state: &State, work: &AbortHandle) {
    if tokio::time::timeout(GRACE, state.ended()).await.is_err() {
        work.abort();
        let _ = tokio::time::timeout(DROP, state.ended()).await;
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn states(&self) -> Vec<Arc<State>> {
        self.lock().tasks.iter().map(|entry| Arc::clone(&entry.state)).collect()
    }

    fn state(&self, id: &str) -> Option<Arc<State>> {
        self.entry(id).map(|(state, _, _)| state)
    }

    fn entry(&self, id: &str) -> Option<(Arc<State>, CancellationToken, AbortHandle)> {
        let list = self.lock();
        let found = list.tasks.iter().find(|entry| entry.state.id.as_str() == id)?;
        Some((Arc::clone(&found.state), found.cancel.clone(), found.work.clone()))
    }

    /// Returns the id of a task that is about to start, and its file: one that neither this session nor an earlier one
    /// in the same directory has used.
    fn file_for(&self, about: &About, list: &List) -> Result<(TaskId, OutputFile), StartError> {
        loop {
            let id = about.id.clone().unwrap_or_else(|| TaskId::random(about.kind.initial()));
            let taken = list.tasks.iter().any(|entry| entry.state.id == id);
            let file = if taken {
                Err(io::ErrorKind::AlreadyExists.into())
            } else {
                OutputFile::create(&self.directory, &id, self.options.cap)
            };
            match file {
                Ok(file) => return Ok((id, file)),
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(StartError::Output { directory: self.directory.clone(), error });
                }
                Err(_) if about.id.is_some() => return Err(StartError::IdInUse(id)),
                Err(_) => {}
            }
        }
    }

    fn ending(&self, state: &Arc<State>) -> EndGuard {
        EndGuard {
            state: Arc::clone(state),
            news: self.news.clone(),
            observer: self.options.observer.clone(),
        }
    }

    fn observe(&self, task: &TaskInfo) {
        if let Some(observer) = &self.options.observer {
            observer(task);
        }
    }
}

impl List {
    fn has_room(&self) -> Result<(), StartError> {
        if self.closed {
            return Err(StartError::Closed);
        }
        let running = self.tasks.iter().filter(|entry| entry.state.is_running()).count();
        if running < MOST { Ok(()) } else { Err(StartError::TooMany) }
    }
}

impl State {
    fn new(id: TaskId, about: About, file: OutputFile) -> Self {
        Self {
            id,
            kind: about.kind,
            description: about.description,
            file: file.path().to_owned(),
            output: Output::new(file),
            status: watch::Sender::new(TaskStatus::Running),
            reported: AtomicBool::new(false),
        }
    }
}

/// Ends the running tasks with the last handle.
impl Drop for Inner {
    fn drop(&mut self) {
        let list = self.list.get_mut().unwrap_or_else(PoisonError::into_inner);
        for entry in &list.tasks {
            entry.cancel.cancel();
            entry.work.abort();
        }
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("tasks", &self.list()).finish_non_exhaustive()
    }
}
