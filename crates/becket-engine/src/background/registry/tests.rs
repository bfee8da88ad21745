//! The registry with work that a test ends when it chooses, and with real processes.

use super::*;
use crate::background::{PendingState, background_in};
use crate::report::outcome::Status;
use crate::report::run_event::Observer;
use crate::testing;
use becket_model::Failure;
use becket_testkit::proc::PATIENCE;
use bytes::Bytes;
use futures_util::FutureExt;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::runtime::Builder;

mod files;
mod owner;
mod waits;

/// A registry and its surroundings.
struct Place {
    background: Background,
    heard: Arc<Mutex<Vec<String>>>,
    temp: tempfile::TempDir,
}

/// Ends one piece of work.
struct Lever(oneshot::Sender<BackgroundEnd>);

impl Lever {
    fn ends(self, exit: i32, stdout: &str, stderr: &str) {
        let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        let (stdout, stderr) = (bytes(stdout), bytes(stderr));
        drop(self.0.send(BackgroundEnd { exit: Some(exit), stdout, stderr, ..BackgroundEnd::default() }));
    }
}

fn place() -> Place {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let ears = heard.clone();
    place_with(heard, move |event: &RunEvent| {
        let word = match &event.what {
            RunEventKind::Started { handler } => format!("started {}", handler.place.label),
            RunEventKind::Backgrounded { handler, .. } => format!("left {}", handler.place.label),
            RunEventKind::BackgroundFinished { run, .. } => {
                format!("ended {} {}", run.handler.place.label, run.status.as_str())
            }
            other @ (RunEventKind::Fired { .. }
            | RunEventKind::Skipped(_)
            | RunEventKind::Output { .. }
            | RunEventKind::Finished { .. }
            | RunEventKind::Decided { .. }) => format!("{other:?}"),
        };
        ears.lock().unwrap().push(format!("{} {word}", event.firing));
    })
}

fn place_with(heard: Arc<Mutex<Vec<String>>>, observer: impl Observer + 'static) -> Place {
    let temp = tempfile::tempdir().unwrap();
    let listeners = Arc::new(Listeners::new(vec![Arc::new(observer)]));
    let files = Arc::new(PrivateFiles::new(None, temp.path().into()));
    let background = Background::new(listeners, files, Some(temp.path().join("session")));
    Place { background, heard, temp }
}

fn session(name: &str) -> SessionId {
    name.into()
}

fn adopted(of: &str, label: &str) -> Adoption {
    Adoption {
        session: session(of),
        firing: 7,
        handler: Arc::new(testing::command(label)),
        limit: Duration::from_secs(60),
        rewake: false,
        cancel: CancellationToken::new(),
        already_running: false,
    }
}

/// Work that ends when its lever is pulled, or when it is cancelled.
fn work(
    cancel: &CancellationToken,
) -> (Lever, impl FnOnce() -> BoxFuture<'static, BackgroundEnd> + Send + use<>) {
    let (lever, pulled) = oneshot::channel();
    let cancel = cancel.clone();
    let work = move || {
        async move {
            tokio::select! {
                ended = pulled => ended.unwrap(),
                () = cancel.cancelled() => BackgroundEnd::failed(Failure::Cancelled, Duration::from_millis(1)),
            }
        }
        .boxed()
    };
    (Lever(lever), work)
}

impl Place {
    fn adopt(&self, adopted: Adoption) -> (BackgroundId, Lever) {
        let (lever, work) = work(&adopted.cancel);
        (self.background.adopt(adopted, work), lever)
    }

    /// Returns the results of a session in which nothing is pending any more.
    async fn results(&self, of: &str) -> Vec<BackgroundDelivery> {
        soon(self.background.over(&session(of))).await;
        self.background.collect(&session(of))
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    /// Waits until this number of hooks is pending in all.
    async fn left(&self, count: usize) {
        soon(async {
            while self.background.pending(None).len() > count {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    fn states(&self, of: &str) -> Vec<PendingState> {
        self.background.pending(Some(&session(of))).iter().map(|pending| pending.state).collect()
    }
}

/// Awaits a future with a timeout, so that a missing result fails the test instead of hanging it.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("it comes to an end")
}

#[tokio::test]
async fn the_texts_of_an_ended_hook_are_handed_over_once() {
    // rules: A1, A3, A5
    let place = place();
    let (id, lever) = place.adopt(adopted("s", "lint"));
    let pending = place.background.pending(None);
    assert_eq!((pending.len(), pending[0].id, pending[0].state), (1, id, PendingState::Running));
    assert_eq!((&*pending[0].handler.place.label, pending[0].limit.as_secs()), ("lint", 60));
    lever.ends(
        0,
        r#"{"systemMessage": "two warnings", "decision": "block",
            "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "a.rs:7"}}"#,
        "noise",
    );
    let results = place.results("s").await;
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].contexts, ["a.rs:7", "two warnings"]);
    assert!(results[0].warnings[0].contains("`decision`"), "{:?}", results[0].warnings);
    assert_eq!((results[0].id, results[0].outcome, results[0].exit), (id, Status::Success, Some(0)));
    assert_eq!(place.background.collect(&session("s")), []);
    assert!(place.background.pending(None).is_empty());
    assert_eq!(place.heard(), ["7 left lint", "7 started lint", "7 ended lint success"]);
}

#[tokio::test]
async fn a_long_text_goes_to_a_private_file_and_stderr_goes_whole() {
    // rules: A3, A4, O8
    let place = place();
    let (_, lever) = place.adopt(adopted("s", "lint"));
    let long = "é".repeat(10_001);
    lever.ends(0, &format!("{{\"systemMessage\": \"{long}\"}}"), "");
    let results = place.results("s").await;
    let (preview, path) = results[0].contexts[0].split_once("the whole text is in ").unwrap();
    assert!(preview.chars().count() < 2_100);
    assert_eq!(std::fs::read_to_string(path).unwrap(), long);
    for (stdout, stderr, whole) in [("", &*long, true), (&*long, "", false)] {
        let (_, lever) = place.adopt(Adoption { rewake: true, ..adopted("s", "lint") });
        lever.ends(2, stdout, stderr);
        let wake = soon(place.background.wakes().next()).await.unwrap();
        assert_eq!(wake.reminder.chars().count() == 10_001, whole);
    }
}

#[tokio::test]
async fn the_thirty_third_starts_when_there_is_room_and_its_work_is_not_touched_before() {
    // rule: A1
    let place = place();
    let calls = Arc::new(AtomicUsize::new(0));
    let mut levers = Vec::new();
    for number in 0..40 {
        let adopted = adopted("s", &number.to_string());
        let (lever, work) = work(&adopted.cancel);
        let calls = calls.clone();
        place.background.adopt(adopted, move || {
            calls.fetch_add(1, Ordering::Relaxed);
            work()
        });
        levers.push(lever);
    }
    let started = |count: usize| {
        let (place, calls) = (&place, &calls);
        async move {
            while calls.load(Ordering::Relaxed) < count {
                tokio::task::yield_now().await;
            }
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            let running = place.states("s").iter().filter(|state| **state == PendingState::Running).count();
            assert_eq!((calls.load(Ordering::Relaxed), running), (count, 32.min(40 + 32 - count)));
        }
    };
    soon(started(32)).await;
    let mut levers = levers.into_iter();
    for count in 33..=40 {
        levers.next().unwrap().ends(0, "", "");
        soon(started(count)).await;
    }
    levers.for_each(|lever| lever.ends(0, "", ""));
    let results = place.results("s").await;
    let labels: HashSet<String> = results.iter().map(|result| result.label.to_string()).collect();
    assert_eq!((results.len(), labels.len()), (40, 40));
}

#[tokio::test]
async fn one_that_runs_already_is_polled_at_once_and_not_announced_again() {
    // rule: A2
    let place = place();
    let levers: Vec<Lever> = (0..32).map(|_| place.adopt(adopted("s", "full")).1).collect();
    let (id, lever) = place.adopt(Adoption { already_running: true, ..adopted("s", "late") });
    lever.ends(0, r#"{"systemMessage": "done"}"#, "");
    let late = |result: &&BackgroundDelivery| result.id == id;
    place.left(32).await;
    let results = place.background.collect(&session("s"));
    assert_eq!(results.iter().find(late).unwrap().contexts, ["done"]);
    assert!(!place.heard().contains(&"7 started late".to_owned()), "{:?}", place.heard());
    drop(levers);
}

#[tokio::test]
async fn a_panic_is_a_result_and_takes_no_other_with_it() {
    // rule: A5
    let place = place();
    let (_, before) = place.adopt(adopted("s", "before"));
    place.background.adopt(adopted("s", "polled"), || async { panic!("over board") }.boxed());
    place.background.adopt(adopted("s", "called"), || panic!("at {}", "once"));
    let (_, after) = place.adopt(adopted("s", "after"));
    before.ends(0, r#"{"systemMessage": "one"}"#, "");
    after.ends(0, r#"{"systemMessage": "two"}"#, "");
    let results = place.results("s").await;
    let of = |label: &str| results.iter().find(|result| &*result.label == label).unwrap();
    assert_eq!((&of("before").contexts[0][..], &of("after").contexts[0][..]), ("one", "two"));
    for (label, said) in [("polled", "over board"), ("called", "at once")] {
        assert_eq!(of(label).outcome, Status::Error);
        let failure = of(label).failure.as_ref().unwrap().to_string();
        assert!(failure.ends_with(&format!("panicked: {said}")), "{failure}");
    }
    assert_eq!(results.len(), 4);
}

#[tokio::test]
async fn a_listener_that_panics_loses_no_result() {
    // rule: A5
    let place = place_with(Arc::default(), |event: &RunEvent| {
        assert!(!matches!(event.what, RunEventKind::BackgroundFinished { .. }), "a bad observer");
    });
    let (_, lever) = place.adopt(adopted("s", "lint"));
    lever.ends(0, r#"{"systemMessage": "done"}"#, "");
    assert_eq!(place.results("s").await[0].contexts, ["done"]);
}

#[tokio::test]
async fn sessions_see_nothing_of_each_other() {
    // rule: A5
    let place = place();
    let (_, a) = place.adopt(Adoption { rewake: true, ..adopted("a", "of a") });
    let (_, b) = place.adopt(adopted("b", "of b"));
    assert_eq!((place.states("a").len(), place.states("b").len(), place.states("c").len()), (1, 1, 0));
    let ended = soon(place.background.end(&session("b"))).await;
    assert_eq!((ended.len(), ended[0].outcome), (1, Status::Cancelled));
    assert_eq!(place.states("a"), [PendingState::Running], "the end of one session ends no other's hooks");
    a.ends(2, "", "wake up");
    assert_eq!(soon(place.background.rewakes(&session("b"))).await, []);
    assert_eq!(soon(place.background.rewakes(&session("a"))).await[0].reminder, "wake up");
    assert_eq!(place.background.collect(&session("b")), []);
    assert_eq!(place.results("a").await.len(), 1);
    drop(b);
}

#[test]
fn under_sixty_four_collectors_each_result_and_each_wake_comes_out_once() {
    // rules: A4, A5
    const HOOKS: usize = 3_000;
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    let place = place_with(Arc::default(), |_: &RunEvent| {});
    let (results, wakes) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for collector in 0..64 {
            let (background, results, wakes) = (place.background.clone(), results.clone(), wakes.clone());
            tasks.spawn(async move {
                if collector % 2 == 0 {
                    loop {
                        let some = background.collect(&session("s"));
                        results.lock().unwrap().extend(some.iter().map(|result| (result.id, result.missed)));
                        if results.lock().unwrap().len() >= HOOKS {
                            return;
                        }
                        tokio::task::yield_now().await;
                    }
                }
                let stream = background.wakes();
                while wakes.lock().unwrap().len() < HOOKS {
                    let next = tokio::time::timeout(Duration::from_millis(20), stream.next()).await;
                    let taken = next.ok().flatten();
                    wakes.lock().unwrap().extend(taken.map(|wake| (wake.id, wake.missed)));
                }
            });
        }
        for _ in 0..HOOKS {
            let adopted = Adoption { rewake: true, ..adopted("s", "x") };
            place.background.adopt(adopted, || {
                async {
                    BackgroundEnd {
                        exit: Some(2),
                        stderr: Bytes::from_static(b"up"),
                        ..BackgroundEnd::default()
                    }
                }
                .boxed()
            });
            tokio::task::yield_now().await;
        }
        soon(tasks.join_all()).await;
    });
    for seen in [results, wakes] {
        let seen = seen.lock().unwrap();
        let distinct: HashSet<_> = seen.iter().map(|(id, _)| *id).collect();
        let missed: u64 = seen.iter().map(|(_, missed)| missed).sum();
        assert_eq!((seen.len(), distinct.len(), missed), (HOOKS, HOOKS, 0));
    }
}
