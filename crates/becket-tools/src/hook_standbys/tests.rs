use super::*;
use becket_engine::model::event::tool::PreToolUse;
use becket_engine::model::{Event, Session};
use becket_engine::{Decision, Engine, Environment, Outcome};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// A guard that writes its process id once it has read its input, and denies pushes.
const GUARD: &str = "import json, os, sys\nevent = json.load(sys.stdin)\n\
    with open('pids', 'a') as pids:\n    print(os.getpid(), file=pids)\n\
    if 'push' in event['tool_input']['command']:\n    print('no push', file=sys.stderr)\n    sys.exit(2)\n";

/// Standbys whose states and releases are recorded.
#[derive(Debug, Default, Clone)]
struct Recorder(Arc<Mutex<Vec<Slot>>>);

/// A standby, until it is released or ended.
type Slot = Arc<Mutex<(Option<Box<dyn HookStandby>>, Vec<String>)>>;

#[derive(Debug)]
struct Recorded(Slot);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HookStandbys for Recorder {
    fn start(&self, command: Command) -> io::Result<Box<dyn HookStandby>> {
        let slot = Arc::new(Mutex::new((Some(SystemStandbys.start(command)?), Vec::new())));
        lock(&self.0).push(Arc::clone(&slot));
        Ok(Box::new(Recorded(slot)))
    }
}

impl Recorded {
    fn take(&self) -> Option<Box<dyn HookStandby>> {
        lock(&self.0).0.take()
    }
}

impl HookStandby for Recorded {
    fn state(&self) -> HookStandbyState {
        lock(&self.0).0.as_ref().map_or(HookStandbyState::Starting, |standby| standby.state())
    }

    fn release(self: Box<Self>, input: Bytes) -> Result<becket_process::Standby, HookStandbyEnd> {
        let gone = || HookStandbyEnd { message: "it is gone".into(), is_lasting: false };
        let released = self.take().ok_or_else(gone).and_then(|standby| standby.release(input));
        let text = released.as_ref().map_or_else(HookStandbyEnd::to_string, |_| "used".to_owned());
        lock(&self.0).1.push(text);
        released
    }

    fn end(self: Box<Self>) {
        if let Some(standby) = self.take() {
            standby.end();
        }
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        lock(&self.0).0.take();
    }
}

impl Recorder {
    fn started(&self) -> usize {
        lock(&self.0).len()
    }

    /// Waits until the newest standby waits for its event.
    fn settle(&self) {
        let waits = || {
            let slot = lock(&self.0).last().cloned();
            slot.is_some_and(|slot| {
                lock(&slot).0.as_ref().is_some_and(|standby| standby.state() != HookStandbyState::Starting)
            })
        };
        assert!(wait_until(waits), "no standby waits");
    }

    /// Returns what became of all standbys.
    fn releases(&self) -> Vec<String> {
        lock(&self.0).iter().flat_map(|slot| lock(slot).1.clone()).collect()
    }
}

struct Scene {
    directory: TempDir,
    recorder: Recorder,
    engine: Engine,
}

impl Scene {
    fn new(handler: &Value) -> Result<Self, Box<dyn std::error::Error>> {
        let directory = TempDir::new()?;
        fs::write(directory.path().join("guard.py"), GUARD)?;
        age(&directory.path().join("guard.py"));
        let recorder = Recorder::default();
        let engine = Engine::builder()
            .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin").with_home("/nonexistent"))
            .start_dir(directory.path())
            .settings_text(json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string())
            .start_hooks_ahead(Arc::new(recorder.clone()))
            .build()?;
        Ok(Self { directory, recorder, engine })
    }

    async fn blocks(&self, command: &str) -> bool {
        self.outcome(command).await.decision() == Decision::Block
    }

    async fn outcome(&self, command: &str) -> Outcome {
        self.outcome_in("s", command).await
    }

    async fn outcome_in(&self, session: &str, command: &str) -> Outcome {
        let input = json!({"command": command});
        let call = PreToolUse::new("Bash".into(), input.as_object().cloned().unwrap_or_default(), "1".into());
        let session = Session::new(session, "/tmp/s.jsonl", self.directory.path());
        self.engine.fire(&Event::new(session, call)).await
    }

    fn pids(&self) -> Vec<String> {
        let pids = fs::read_to_string(self.directory.path().join("pids")).unwrap_or_default();
        pids.lines().map(str::to_owned).collect()
    }
}

/// Waits until a file is old enough to be read ahead.
fn age(path: &Path) {
    let is_old = || {
        let changed = fs::metadata(path).and_then(|file| file.modified());
        changed.is_ok_and(|at| at + Duration::from_millis(60) < SystemTime::now())
    };
    assert!(wait_until(is_old));
}

fn guard() -> Value {
    json!({"type": "command", "command": "python3 guard.py", "warm": "auto"})
}

// rule: H3
#[tokio::test]
async fn a_hot_hook_is_started_ahead_and_decides_as_before() {
    let scene = Scene::new(&guard()).unwrap();
    assert!(scene.blocks("git push").await);
    assert_eq!(scene.recorder.started(), 0, "it has run once");
    assert!(!scene.blocks("ls").await);
    for command in ["git push", "ls", "git push"] {
        scene.recorder.settle();
        assert_eq!(scene.blocks(command).await, command == "git push", "{command}");
    }
    assert_eq!(scene.recorder.releases(), ["used"; 3]);
    let pids = scene.pids();
    assert_eq!(pids.iter().collect::<std::collections::BTreeSet<_>>().len(), 5, "{pids:?}");
    scene.recorder.settle();
    let standby = children();
    assert!(!standby.is_empty());
    scene.engine.close().await;
    assert_eq!(children(), [""; 0], "nothing is left");
}

// rule: H3
#[tokio::test]
async fn a_standby_answers_only_with_the_variables_of_its_event() {
    let handler = json!({"type": "command", "command": "python3 session.py", "warm": "auto"});
    let scene = Scene::new(&handler).unwrap();
    let script = scene.directory.path().join("session.py");
    fs::write(&script, "import os, sys\nsys.stdin.read()\nsys.exit(os.environ['CLAUDE_CODE_SESSION_ID'])\n")
        .unwrap();
    age(&script);
    for session in ["one", "one", "two"] {
        if scene.recorder.started() > 0 {
            scene.recorder.settle();
        }
        let outcome = scene.outcome_in(session, "ls").await;
        assert_eq!(outcome.runs[0].stderr, format!("{session}\n"));
    }
    assert_eq!(scene.recorder.releases(), [""; 0], "the process was that of the other session");
}

// rule: H3
#[tokio::test]
async fn an_edited_guard_counts_from_the_next_event_on() {
    let scene = Scene::new(&guard()).unwrap();
    for _ in 0..2 {
        assert!(scene.blocks("git push").await);
    }
    scene.recorder.settle();
    let script = scene.directory.path().join("guard.py");
    fs::write(&script, "import sys\nsys.exit(0)\n").unwrap();
    assert!(!scene.blocks("git push").await);
    fs::write(&script, "import sys\nsys.exit(2)\n").unwrap();
    assert!(scene.blocks("ls").await);
    let releases = scene.recorder.releases();
    assert!(releases.first().is_some_and(|release| release.contains("guard.py")), "{releases:?}");
}

#[tokio::test]
async fn only_hooks_that_can_wait_are_started_ahead() {
    let all =
        [("warm", json!("off")), ("warm", Value::Null), ("async", json!(true)), ("questions", json!(true))];
    for (key, value) in all {
        // Long enough to be worth it.
        let mut handler = json!({"type": "command", "command": "read line; sleep 0.01", "warm": "auto"});
        handler[key] = value;
        if handler["warm"].is_null() {
            handler.as_object_mut().unwrap().remove("warm");
        }
        let scene = Scene::new(&handler).unwrap();
        for _ in 0..4 {
            assert!(!scene.blocks("ls").await);
        }
        assert_eq!(scene.recorder.started(), 0, "{handler}");
        scene.engine.close().await;
    }
}

#[tokio::test]
async fn a_hook_that_does_not_come_to_wait_is_no_longer_started_ahead() {
    let handler = json!({"type": "command", "command": "python3 gives_up.py", "warm": "auto"});
    let scene = Scene::new(&handler).unwrap();
    let script = scene.directory.path().join("gives_up.py");
    fs::write(&script, "import select, sys\nselect.select([sys.stdin], [], [], 5)\n").unwrap();
    age(&script);
    for _ in 0..2 {
        scene.blocks("ls").await;
    }
    scene.recorder.settle();
    for _ in 0..4 {
        assert!(!scene.blocks("ls").await);
    }
    assert_eq!(scene.recorder.started(), 1, "{:?}", scene.recorder.releases());
}

/// Returns the names of the processes that this process has started, and that are alive.
fn children() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let ids = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    ids.flat_map(|ids| ids.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|id| fs::read_to_string(format!("/proc/{id}/comm")).ok())
        .collect()
}

/// Commands of calls that guards decide on.
const COMMANDS: [&str; 8] = [
    "git push --force origin main",
    "git push",
    "git commit -m 'wip'",
    "git commit -m 'till: count the coins'",
    "cat .env",
    "rm -rf /",
    "ls -la",
    "echo AKIAIOSFODNN7EXAMPLE > notes.txt",
];

/// Returns the scripts of guards in this repository, with their interpreters.
fn scripts() -> Vec<(String, std::path::PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut directories = vec![
        root.join("crates/becket-install/guards"),
        root.join("examples/guarded-repo/.claude"),
        root.join("examples/recorded-sessions/.claude"),
    ];
    let mut scripts = Vec::new();
    while let Some(directory) = directories.pop() {
        for path in fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => directories.push(path),
                Some("py") => scripts.push(("python3".to_owned(), path)),
                Some("sh") => scripts.push(("sh".to_owned(), path)),
                Some(_) | None => (),
            }
        }
    }
    scripts.sort();
    scripts
}

/// Fires events at each script, with and without standbys, and compares the outcomes. Returns the number of events that a
/// standby answered.
async fn agree(rounds: usize) -> Result<usize, Box<dyn std::error::Error>> {
    let mut used = 0;
    for (interpreter, script) in scripts() {
        let handler = |warm: &str| {
            let command = format!("{interpreter} '{}'", script.display());
            json!({"type": "command", "command": command, "warm": warm})
        };
        let (warm, cold) = (Scene::new(&handler("auto"))?, Scene::new(&handler("off"))?);
        for round in 0..rounds {
            let command = COMMANDS[round % COMMANDS.len()];
            if warm.recorder.started() > 0 {
                warm.recorder.settle();
            }
            let (ours, theirs) = (warm.outcome(command).await, cold.outcome(command).await);
            let told = |outcome: &Outcome, scene: &Scene| {
                let run = &outcome.runs[0];
                let text = format!(
                    "{:?} {:?} {:?} {:?}",
                    outcome.decision(),
                    outcome.reason(),
                    run.exit,
                    run.failure
                );
                text.replace(&scene.directory.path().display().to_string(), "DIR")
            };
            assert_eq!(told(&ours, &warm), told(&theirs, &cold), "{}: `{command}`", script.display());
        }
        used += warm.recorder.releases().iter().filter(|release| *release == "used").count();
        warm.engine.close().await;
    }
    Ok(used)
}

// rule: H3
#[tokio::test]
async fn guards_of_this_repository_decide_as_if_they_were_started_for_the_event() {
    let used = agree(6).await.unwrap();
    assert!(used > 10, "{used} events were answered by standbys");
}

#[tokio::test]
#[ignore = "takes minutes: thousands of events"]
async fn guards_decide_so_however_often() {
    eprintln!("{} events were answered by standbys", agree(400).await.unwrap());
}
