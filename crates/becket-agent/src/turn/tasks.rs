//! A host's tasks at the end of each turn: notes, suggestions, cleaning up (L7).
//!
//! INVARIANT: a task of another agent loop than the session's own is never handed [`MainTurn`], and nothing else can
//! overwrite the session's snapshots. A task that panics or overruns is a notice, and never holds the turn. Tasks that
//! still run end with the session.

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

/// The longest that a turn's end waits for a task, whatever the task asks for.
const LONGEST: Duration = Duration::from_secs(60);

/// A turn at its end, before its Stop hooks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AtTurnEnd {
    /// Agent whose turn it is.
    pub of: Origin,
    /// The facts of that moment.
    pub session: Session,
    /// The last answer's text.
    pub text: String,
    /// The conversation.
    pub messages: Arc<[Message]>,
    /// Set if a Stop hook has already sent the model back in this turn, so that the tasks have run before.
    pub again: bool,
    /// Cancelled once the caller has gone.
    pub cancel: CancellationToken,
}

/// The same of the session's own agent loop, which alone may overwrite the session's snapshots.
#[derive(Debug, Clone)]
pub struct MainTurn {
    /// The turn.
    pub at: AtTurnEnd,
    snapshots: Snapshots,
}

impl MainTurn {
    /// Overwrites the session's snapshot of that name.
    pub fn overwrite(&self, name: impl Into<String>, snapshot: Value) {
        let mut kept = self.snapshots.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(name.into(), Arc::new(snapshot));
    }
}

/// Data that turn-end tasks keep of the session's own turns. Cheap to clone; readable by all.
#[derive(Debug, Clone, Default)]
pub struct Snapshots {
    kept: Arc<Mutex<HashMap<String, Arc<Value>>>>,
}

impl Snapshots {
    /// The snapshot of that name, as it was last overwritten.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<Value>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

/// A task; its error is shown to the user.
pub type TaskRun<T> = Arc<dyn Fn(T) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// Kind of turns that a task runs for.
#[derive(Clone)]
pub enum ForTurns {
    /// The session's own alone.
    MainOnly(TaskRun<MainTurn>),
    /// Those of subagents, too.
    All(TaskRun<AtTurnEnd>),
}

/// Relation of a turn's end to a task: waiting or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It waits, up to this limit and 60 s at most; then the task is dropped.
    Await(Duration),
    /// It does not wait; the session owns the task and ends it.
    Leave,
}

/// Behaviour of a task in a session that was started bare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InBare {
    /// The task is skipped.
    Skip,
    /// The task runs.
    Run,
}

/// Something that a host does at the end of each turn.
#[derive(Clone)]
pub struct TurnEndTask {
    /// For notices.
    pub name: String,
    /// Behaviour in a bare session.
    pub bare: InBare,
    /// Relation to the end of the turn.
    pub how: How,
    /// Its work, and the kind of turns.
    pub run: ForTurns,
}

impl TurnEndTask {
    /// Creates a task for the session's own turns, which a bare session skips.
    pub(crate) fn of_main<F>(
        name: impl Into<String>,
        how: How,
        run: impl Fn(MainTurn) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        let run: TaskRun<MainTurn> = Arc::new(move |turn| Box::pin(run(turn)));
        Self { name: name.into(), bare: InBare::Skip, how, run: ForTurns::MainOnly(run) }
    }
}

impl fmt::Debug for TurnEndTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnEndTask")
            .field("name", &self.name)
            .field("bare", &self.bare)
            .field("how", &self.how)
            .field("main_only", &matches!(self.run, ForTurns::MainOnly(_)))
            .finish_non_exhaustive()
    }
}

/// The tasks of a session. Cheap to clone; all clones are the same registry.
#[derive(Debug, Clone, Default)]
pub struct TurnEndTasks {
    tasks: Arc<Mutex<Vec<TurnEndTask>>>,
    left: Arc<Mutex<JoinSet<()>>>,
    /// Number of running tasks.
    running: watch::Sender<usize>,
    snapshots: Snapshots,
    bare: bool,
}

impl TurnEndTasks {
    /// No tasks yet; `bare` is how the session was started.
    #[must_use]
    pub fn new(bare: bool) -> Self {
        Self { bare, ..Self::default() }
    }

    /// Adds a task to the end of every turn from now on.
    pub fn register(&self, task: TurnEndTask) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
    }

    /// Returns the data that tasks keep of the session's own turns.
    #[must_use]
    pub fn snapshots(&self) -> &Snapshots {
        &self.snapshots
    }

    /// Runs them: returns once all that are to be awaited have ended, or are over their limit.
    pub(crate) async fn run(&self, at: &AtTurnEnd, updates: &Updates) {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut awaited = Vec::new();
        for task in tasks {
            if self.bare && task.bare == InBare::Skip {
                continue;
            }
            let Some(work) = self.begin(&task, at) else { continue };
            let (name, updates) = (task.name, updates.clone());
            match task.how {
                How::Await(limit) => awaited.push(waited_for(name, work, limit.min(LONGEST), updates)),
                How::Leave => self.leave(async move { tell(&name, work.await, &updates) }),
            }
        }
        join_all(awaited).await;
    }

    /// Waits until nothing of what was left running runs any more: for a host that has nothing else to do, and ends the session
    /// then. Cancel-safe.
    pub async fn settled(&self) {
        // INVARIANT: `self` holds the sender, so the channel can't close while this waits.
        let _ = self.running.subscribe().wait_for(|running| *running == 0).await;
    }

    /// Ends what was left, and waits until it is gone.
    pub(crate) async fn end(&self) {
        let mut left = std::mem::take(&mut *self.left.lock().unwrap_or_else(PoisonError::into_inner));
        left.shutdown().await;
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
                // Async around the call, which can panic before there is a future.
                Some(Box::pin(catch_panic(async move { run(MainTurn { at, snapshots }).await })))
            }
            (ForTurns::All(run), Origin::Main | Origin::Subagent { .. }) => {
                let run = Arc::clone(run);
                Some(Box::pin(catch_panic(async move { run(at).await })))
            }
        }
    }

    fn leave(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        while left.try_join_next().is_some() {}
        let running = RunningTask::begin(&self.running);
        left.spawn(async move {
            work.await;
            drop(running);
        });
    }
}

/// A task that was left running, whatever becomes of it.
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
