//! A host's tasks at the end of each turn, such as notes, suggestions, or cleaning up (L7).
//!
//! INVARIANT: a task never receives [`MainTurn`] for an agent loop other than the session's own, and nothing else can
//! overwrite the session's snapshots. A task that panics or overruns is reported, and never blocks the turn. Tasks that
//! are still running end with the session.

use crate::update::{Notice, Origin, Updates};
use becket_engine::{CancellationToken, catch_panic};
use becket_llm::Message;
use becket_model::Session;
use futures_util::future::{BoxFuture, join_all};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The maximum time that the end of a turn waits for a task, whatever the task requests.
const LONGEST: Duration = Duration::from_secs(60);

/// A turn at its end, before its Stop hooks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AtTurnEnd {
    /// The agent loop of the turn.
    pub of: Origin,
    /// The facts at that moment.
    pub session: Session,
    /// The text of the last answer.
    pub text: String,
    /// The conversation.
    pub messages: Arc<[Message]>,
    /// Set if a Stop hook has already made the model continue in this turn, so that the tasks have run before.
    pub stop_hook_active: bool,
    /// Cancelled once the caller has gone.
    pub cancel: CancellationToken,
}

/// The end of a turn of the session's own agent loop, which alone may overwrite the session's snapshots.
#[derive(Debug, Clone)]
pub struct MainTurn {
    /// The turn.
    pub at: AtTurnEnd,
    snapshots: Snapshots,
}

impl MainTurn {
    /// Overwrites the session's snapshot with this name.
    pub fn overwrite(&self, name: impl Into<String>, snapshot: Value) {
        let mut kept = self.snapshots.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(name.into(), Arc::new(snapshot));
    }
}

/// The data that turn-end tasks keep about the session's own turns. Cheap to clone; readable by all.
#[derive(Debug, Clone, Default)]
pub struct Snapshots {
    kept: Arc<Mutex<HashMap<String, Arc<Value>>>>,
}

impl Snapshots {
    /// Returns the latest snapshot with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<Value>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

/// The function of a task; its error is shown to the user.
pub type TaskRun<T> = Arc<dyn Fn(T) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// The turns that a task runs for.
#[derive(Clone)]
pub enum ForTurns {
    /// Only the session's own turns.
    MainOnly(TaskRun<MainTurn>),
    /// All turns, including those of subagents.
    All(TaskRun<AtTurnEnd>),
}

/// The way in which the end of a turn treats a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskWait {
    /// The turn waits for the task, up to this limit and at most 60 s; then the task is dropped.
    Await(Duration),
    /// The turn does not wait; the session owns the task and ends it.
    Detach,
}

/// The behaviour of a task in a bare session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InBare {
    /// The task is skipped.
    Skip,
    /// The task runs.
    Run,
}

/// A task of a host at the end of each turn.
#[derive(Clone)]
pub struct TurnEndTask {
    /// The name for notices.
    pub name: String,
    /// The behaviour in a bare session.
    pub bare: InBare,
    /// The relation to the end of the turn.
    pub wait: TaskWait,
    /// The function, and the turns that it runs for.
    pub run: ForTurns,
}

impl TurnEndTask {
    /// Creates a task for the session's own turns, which a bare session skips.
    pub(crate) fn of_main<F>(
        name: impl Into<String>,
        wait: TaskWait,
        run: impl Fn(MainTurn) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        let run: TaskRun<MainTurn> = Arc::new(move |turn| Box::pin(run(turn)));
        Self { name: name.into(), bare: InBare::Skip, wait, run: ForTurns::MainOnly(run) }
    }
}

impl fmt::Debug for TurnEndTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnEndTask")
            .field("name", &self.name)
            .field("bare", &self.bare)
            .field("wait", &self.wait)
            .field("main_only", &matches!(self.run, ForTurns::MainOnly(_)))
            .finish_non_exhaustive()
    }
}

/// The registered tasks of a session. Cheap to clone; all clones are the same registry.
#[derive(Debug, Clone, Default)]
pub struct TurnEndTasks {
    tasks: Arc<Mutex<Vec<TurnEndTask>>>,
    left: Arc<Mutex<JoinSet<()>>>,
    /// The number of running tasks.
    running: watch::Sender<usize>,
    snapshots: Snapshots,
    bare: bool,
}

impl TurnEndTasks {
    /// Creates an empty registry; `bare` is true if the session was started bare.
    #[must_use]
    pub fn new(bare: bool) -> Self {
        Self { bare, ..Self::default() }
    }

    /// Adds a task to the end of every turn from now on.
    pub fn register(&self, task: TurnEndTask) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
    }

    /// Returns the data that tasks keep about the session's own turns.
    #[must_use]
    pub fn snapshots(&self) -> &Snapshots {
        &self.snapshots
    }

    /// Runs the tasks; returns once all awaited ones have ended or exceeded their limit.
    pub(crate) async fn run(&self, at: &AtTurnEnd, updates: &Updates) {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut awaited = Vec::new();
        for task in tasks {
            if self.bare && task.bare == InBare::Skip {
                continue;
            }
            let Some(work) = self.begin(&task, at) else { continue };
            let (name, updates) = (task.name, updates.clone());
            match task.wait {
                TaskWait::Await(limit) => awaited.push(waited_for(name, work, limit.min(LONGEST), updates)),
                TaskWait::Detach => self.leave(async move { tell(&name, work.await, &updates) }),
            }
        }
        join_all(awaited).await;
    }

    /// Waits until no detached task is running any more, for a host that then ends the session. Cancel-safe.
    pub async fn settled(&self) {
        // INVARIANT: `self` holds the sender, so the channel can't close while this waits.
        let _ = self.running.subscribe().wait_for(|running| *running == 0).await;
    }

    /// Ends the detached tasks, and waits until they are gone.
    pub(crate) async fn end(&self) {
        let mut detached = std::mem::take(&mut *self.left.lock().unwrap_or_else(PoisonError::into_inner));
        detached.shutdown().await;
    }

    fn begin(
        &self,
        task: &TurnEndTask,
        at: &AtTurnEnd,
    ) -> Option<BoxFuture<'static, Result<Result<(), String>, String>>> {
        let at = at.clone();
        match (&task.run, &at.of) {
            (ForTurns::MainOnly(_), Origin::Subagent { .. }) => None,
            (ForTurns::MainOnly(run), Origin::Main) => {
                let (run, snapshots) = (Arc::clone(run), self.snapshots.clone());
                // In an async block because the call can panic before there is a future.
                Some(Box::pin(catch_panic(async move { run(MainTurn { at, snapshots }).await })))
            }
            (ForTurns::All(run), Origin::Main | Origin::Subagent { .. }) => {
                let run = Arc::clone(run);
                Some(Box::pin(catch_panic(async move { run(at).await })))
            }
        }
    }

    fn leave(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut detached = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        while detached.try_join_next().is_some() {}
        let running = RunningTask::begin(&self.running);
        detached.spawn(async move {
            work.await;
            drop(running);
        });
    }
}

/// A running detached task, counted until dropped.
struct RunningTask(watch::Sender<usize>);

impl RunningTask {
    fn begin(all: &watch::Sender<usize>) -> Self {
        all.send_modify(|running| *running += 1);
        Self(all.clone())
    }
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        self.0.send_modify(|running| *running -= 1);
    }
}

async fn waited_for(
    name: String,
    work: BoxFuture<'static, Result<Result<(), String>, String>>,
    limit: Duration,
    updates: Updates,
) {
    match tokio::time::timeout(limit, work).await {
        Ok(ended) => tell(&name, ended, &updates),
        Err(_) => updates.notice(Notice::warning(format!(
            "`{name}`, which runs at the end of a turn, was ended after {} s",
            limit.as_secs_f64()
        ))),
    }
}

fn tell(name: &str, ended: Result<Result<(), String>, String>, updates: &Updates) {
    let why = match ended {
        Ok(Ok(())) => return,
        Ok(Err(failed)) => format!("failed: {failed}"),
        Err(said) => format!("panicked: {said}"),
    };
    updates.notice(Notice::warning(format!("`{name}`, which runs at the end of a turn, {why}")));
}
