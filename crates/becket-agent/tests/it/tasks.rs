//! Background tasks: started, reported once, stopped, ended with their session; nothing outlives them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use becket_tools::tasks::{
    About, BackgroundTask, StartError, TaskEnd, TaskId, TaskInfo, TaskKind, TaskOptions, TaskRun, TaskStatus,
    Tasks,
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

const LONG: Duration = Duration::from_secs(60);

/// The behaviour of a task.
#[derive(Clone)]
enum Does {
    Ends(TaskEnd),
    Says(&'static str),
    Panics,
    /// Runs until it is cancelled.
    Waits,
    /// Ignores its cancellation.
    Ignores,
}

/// A task that counts its live instances.
struct Fake {
    does: Does,
    id: Option<&'static str>,
    alive: Arc<AtomicUsize>,
}

struct Alive(Arc<AtomicUsize>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl BackgroundTask for Fake {
    fn about(&self) -> About {
        About {
            id: self.id.map(|id| TaskId::new(id).unwrap()),
            kind: TaskKind::Agent { agent_type: "Explore".into() },
            description: "looks around".into(),
        }
    }

    fn run(self: Box<Self>, run: TaskRun) -> BoxFuture<'static, TaskEnd> {
        self.alive.fetch_add(1, Ordering::SeqCst);
        let alive = Alive(Arc::clone(&self.alive));
        Box::pin(async move {
            let _alive = alive;
            match self.does {
                Does::Ends(end) => end,
                Does::Says(text) => {
                    run.output.push(text.as_bytes());
                    TaskEnd::Done
                }
                Does::Panics => panic!("the task broke"),
                Does::Waits => {
                    run.cancel.cancelled().await;
                    TaskEnd::Killed
                }
                Does::Ignores => std::future::pending().await,
            }
        })
    }
}

/// A registry, and the number of its live tasks.
struct Place {
    root: TempDir,
    tasks: Tasks,
    alive: Arc<AtomicUsize>,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let tasks = Tasks::new(root.path().join("tasks"));
        Self { root, tasks, alive: Arc::default() }
    }

    fn fake(&self, does: Does) -> Fake {
        Fake { does, id: None, alive: Arc::clone(&self.alive) }
    }

    fn start(&self, does: Does) -> TaskInfo {
        self.tasks.start(self.fake(does)).unwrap()
    }

    async fn end_of(&self, does: Does) -> TaskInfo {
        let id = self.start(does).id;
        tokio::time::timeout(LONG, self.tasks.wait(id.as_str())).await.unwrap().unwrap()
    }

    fn alive(&self) -> usize {
        self.alive.load(Ordering::SeqCst)
    }
}

fn failed(because: &str) -> TaskEnd {
    TaskEnd::Failed { because: because.into() }
}

#[tokio::test]
async fn a_task_ends_in_its_own_way_and_is_told_of_once() {
    for (does, end, word) in [
        (Does::Ends(TaskEnd::Done), TaskEnd::Done, "completed"),
        (Does::Ends(TaskEnd::Exited(0)), TaskEnd::Exited(0), "completed (exit code 0)"),
        (Does::Ends(TaskEnd::Exited(3)), TaskEnd::Exited(3), "failed (exit code 3)"),
        (Does::Ends(failed("no model")), failed("no model"), "failed: no model"),
        (Does::Panics, failed("it panicked: the task broke"), "failed: it panicked: the task broke"),
    ] {
        let place = Place::new();
        let task = place.end_of(does).await;
        assert_eq!(task.status, TaskStatus::Ended(end));
        tokio::time::timeout(LONG, place.tasks.has_ended()).await.unwrap();
        let told: Vec<String> = place.tasks.take_ended().iter().map(TaskInfo::words).collect();
        let expected = format!("Background agent `{}` (looks around) {word}. Its output is in", task.id);
        assert!(told.len() == 1 && told[0].starts_with(&expected), "{told:?}");
        assert_eq!(place.tasks.take_ended(), []);
        assert_eq!(place.alive(), 0);
    }
}

// rule: L3
#[tokio::test]
async fn what_runs_is_listed_as_stop_hooks_see_it_and_what_has_ended_is_not() {
    let place = Place::new();
    let waits = place.start(Does::Waits);
    place.end_of(Does::Ends(TaskEnd::Done)).await;
    let listed = Value::Array(place.tasks.background_tasks().into_iter().map(Value::Object).collect());
    let expected = json!([{
        "id": waits.id.as_str(), "type": "subagent", "status": "running",
        "description": "looks around", "agent_type": "Explore",
    }]);
    assert_eq!(listed.to_string(), expected.to_string());
    let statuses: Vec<&str> = place.tasks.list().iter().map(|task| task.status.name()).collect();
    assert_eq!(statuses, ["running", "completed"]);
}

#[tokio::test]
async fn a_task_that_is_stopped_is_gone_by_then_and_one_that_has_ended_keeps_its_end() {
    let place = Place::new();
    let (waits, done) = (place.start(Does::Waits), place.end_of(Does::Ends(TaskEnd::Exited(3))).await);
    let stopped = tokio::time::timeout(LONG, place.tasks.stop(waits.id.as_str())).await.unwrap().unwrap();
    assert_eq!((stopped.status, place.alive()), (TaskStatus::Ended(TaskEnd::Killed), 0));
    let kept = place.tasks.stop(done.id.as_str()).await.unwrap();
    assert_eq!(kept.status, TaskStatus::Ended(TaskEnd::Exited(3)));
    assert_eq!(place.tasks.stop("b0").await, None);
}

// rule: H4
#[tokio::test(start_paused = true)]
async fn a_task_that_ignores_its_end_is_dropped() {
    let place = Place::new();
    let ignores = place.start(Does::Ignores);
    tokio::task::yield_now().await;
    let stopped = place.tasks.stop(ignores.id.as_str()).await.unwrap();
    assert_eq!((stopped.status, place.alive()), (TaskStatus::Ended(TaskEnd::Killed), 0));
}

// rule: H4
#[tokio::test(start_paused = true)]
async fn closing_ends_all_at_once_and_starts_none_any_more() {
    let place = Place::new();
    let does = [Does::Waits, Does::Ignores, Does::Ends(TaskEnd::Done), Does::Waits];
    does.into_iter().for_each(|does| drop(place.start(does)));
    let start = tokio::time::Instant::now();
    let ended = place.tasks.close().await;
    assert!(start.elapsed() < Duration::from_secs(15), "one after the other");
    assert!(place.alive() == 0 && ended.iter().all(|task| task.status != TaskStatus::Running));
    assert!(matches!(place.tasks.start(place.fake(Does::Waits)), Err(StartError::Closed)));
    assert_eq!(place.tasks.close().await, []);
}

// rule: H4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_task_slips_in_while_the_registry_closes() {
    for _ in 0..50 {
        let place = Arc::new(Place::new());
        let starting = {
            let place = Arc::clone(&place);
            tokio::task::spawn_blocking(move || {
                (0..20).filter(|_| place.tasks.start(place.fake(Does::Waits)).is_ok()).count()
            })
        };
        tokio::time::timeout(LONG, place.tasks.close()).await.unwrap();
        starting.await.unwrap();
        assert!(place.tasks.background_tasks().is_empty());
        assert_eq!(place.alive(), 0);
    }
}

// rule: H4
#[tokio::test]
async fn the_last_drop_ends_what_runs() {
    let place = Place::new();
    let clone = place.tasks.clone();
    [Does::Waits, Does::Ignores].into_iter().for_each(|does| drop(place.start(does)));
    tokio::task::yield_now().await;
    let Place { tasks, alive, root: _root } = place;
    drop(tasks);
    tokio::task::yield_now().await;
    assert_eq!(alive.load(Ordering::SeqCst), 2, "a clone is left");
    drop(clone);
    let gone = async {
        while alive.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, gone).await.unwrap();
}

#[test]
fn a_runtime_that_ends_first_leaves_no_task_running() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let place = Place::new();
    assert!(matches!(place.tasks.start(place.fake(Does::Waits)), Err(StartError::NoRuntime)));
    runtime.block_on(async { drop(place.start(Does::Ignores)) });
    drop(runtime);
    assert_eq!(place.tasks.list()[0].status, TaskStatus::Ended(TaskEnd::Killed));
    assert_eq!(place.alive(), 0);
}

#[tokio::test]
async fn ids_are_a_task_s_own_or_made_and_never_taken_twice() {
    let place = Place::new();
    let named = |id| Fake { id: Some(id), ..place.fake(Does::Says("hello")) };
    assert_eq!(place.tasks.start(named("agent-1")).unwrap().id.as_str(), "agent-1");
    assert!(
        matches!(place.tasks.start(named("agent-1")), Err(StartError::IdInUse(id)) if id.as_str() == "agent-1")
    );
    // An earlier session has left its files here.
    std::fs::write(place.root.path().join("tasks/agent-2.output"), "old").unwrap();
    assert!(matches!(place.tasks.start(named("agent-2")), Err(StartError::IdInUse(_))));
    place.tasks.wait("agent-1").await.unwrap();
    assert_eq!(place.tasks.output("agent-1").as_deref(), Some("hello"));
    assert_eq!(place.tasks.output("agent-2"), None);
}

#[tokio::test]
async fn a_place_that_can_t_be_made_is_an_error_that_names_it() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("file"), "").unwrap();
    let tasks = Tasks::new(root.path().join("file/tasks"));
    let alive = Arc::default();
    let error = tasks.start(Fake { does: Does::Waits, id: None, alive }).unwrap_err().to_string();
    assert!(error.contains("file/tasks`"), "{error}");
}

#[tokio::test]
async fn at_most_256_run_at_once() {
    let place = Place::new();
    let first = place.start(Does::Waits);
    (1..256).for_each(|_| drop(place.start(Does::Waits)));
    assert!(matches!(place.tasks.start(place.fake(Does::Waits)), Err(StartError::TooMany)));
    place.tasks.stop(first.id.as_str()).await.unwrap();
    place.start(Does::Waits);
    assert_eq!(place.tasks.close().await.len(), 256);
    assert_eq!(place.alive(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_observer_hears_of_a_beginning_before_the_end() {
    let root = tempfile::tempdir().unwrap();
    let heard: Arc<Mutex<Vec<(String, &str)>>> = Arc::default();
    let own = Arc::clone(&heard);
    let observer = move |task: &TaskInfo| own.lock().unwrap().push((task.id.to_string(), task.status.name()));
    let options = TaskOptions { observer: Some(Arc::new(observer)), ..TaskOptions::default() };
    let place = Place { tasks: Tasks::with_options(root.path(), options), root, alive: Arc::default() };
    for _ in 0..100 {
        let id = place.end_of(Does::Ends(TaskEnd::Done)).await.id.to_string();
        while heard.lock().unwrap().len() < 2 {
            tokio::task::yield_now().await;
        }
        let heard = std::mem::take(&mut *heard.lock().unwrap());
        assert_eq!(heard, [(id.clone(), "running"), (id, "completed")]);
    }
}
