//! Guards that are started ahead of their events.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use becket_engine::model::event::tool::PreToolUse;
use becket_engine::model::{Event, Session};
use becket_engine::{
    Decision, Engine, Environment, HookStandby, HookStandbyEnd, HookStandbyState, HookStandbys,
};
use becket_process::{Command, Standby};
use becket_testkit::bench::{Bench, BenchTarget};
use becket_tools::SystemStandbys;
use bytes::Bytes;
use serde_json::json;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const MILLISECOND: f64 = 1e6;

const PYTHON: &str = "import json, re, sys\nevent = json.load(sys.stdin)\n\
    if re.search(r'\\bgit\\s+push\\b', event['tool_input']['command']):\n    sys.exit(2)\n";
const NODE: &str = "let text = ''; process.stdin.on('data', part => text += part);\n\
    process.stdin.on('end', () => process.exit(/\\bgit push\\b/.test(JSON.parse(text).tool_input.command) ? 2 : 0));\n";
const BASH: &str = "input=$(cat)\ncase $input in *'git push'*) exit 2 ;; esac\n";

/// The number of standbys that were used.
static USED: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug)]
struct Counted;

#[derive(Debug)]
struct CountedStandby(Box<dyn HookStandby>);

impl HookStandbys for Counted {
    fn start(&self, command: Command) -> io::Result<Box<dyn HookStandby>> {
        Ok(Box::new(CountedStandby(SystemStandbys.start(command)?)))
    }
}

impl HookStandby for CountedStandby {
    fn state(&self) -> HookStandbyState {
        self.0.state()
    }

    fn release(self: Box<Self>, input: Bytes) -> Result<Standby, HookStandbyEnd> {
        let released = self.0.release(input);
        USED.fetch_add(usize::from(released.is_ok()), Ordering::Relaxed);
        released
    }

    fn end(self: Box<Self>) {
        self.0.end();
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut bench = Bench::new("becket-tools");
    bench.note("whole event, the next process waits; floor: the same guard, started for each event");
    for (name, program, text, must) in [
        ("Python", "python3", PYTHON, BenchTarget::Nanos(5.0 * MILLISECOND)),
        ("Node", "node", NODE, BenchTarget::Nanos(15.0 * MILLISECOND)),
        ("bash", "bash", BASH, BenchTarget::Nothing),
    ] {
        let directory = TempDir::new().unwrap();
        fs::write(directory.path().join("guard"), text).unwrap();
        // A file that has just changed is not read ahead.
        std::thread::sleep(Duration::from_millis(100));
        let handler =
            |warm: &str| json!({"type": "command", "command": format!("{program} guard"), "warm": warm});
        let engine = |warm: &str| {
            Engine::builder()
                .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin").with_home("/nonexistent"))
                .start_dir(directory.path())
                .settings_text(json!({"hooks": {"PreToolUse": [{"hooks": [handler(warm)]}]}}).to_string())
                .start_hooks_ahead(Arc::new(Counted))
                .build()
                .unwrap()
        };
        let (warm, cold) = (engine("auto"), engine("off"));
        let event = event(&directory);
        let fire = |engine: &Engine| {
            assert_eq!(runtime.block_on(engine.fire(&event)).decision(), Decision::Block);
        };
        (0..3).for_each(|_| fire(&warm));
        let timed = |engine: &Engine, is_warm: bool| {
            // The next process comes to wait; what it needs for that is not measured.
            let until = Instant::now() + Duration::from_secs(5);
            while is_warm && engine.host().waiting_standbys() == 0 && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            let begun = Instant::now();
            fire(engine);
            begun.elapsed().as_secs_f64() * 1e9
        };
        let before = USED.load(Ordering::Relaxed);
        let name = format!("an unchanged guard in {name}, started ahead");
        bench.sampled(&name, must, || timed(&warm, true), Some(&mut || timed(&cold, false)));
        assert!(USED.load(Ordering::Relaxed) > before, "no process was used");
        close(&runtime, &[warm, cold]);
    }
}

fn close(runtime: &Runtime, engines: &[Engine]) {
    for engine in engines {
        runtime.block_on(engine.close());
    }
}

fn event(directory: &TempDir) -> Event {
    let input = json!({"command": "git push"});
    Event::new(
        Session::new("bench", "/tmp/bench.jsonl", directory.path()),
        PreToolUse::new("Bash".into(), input.as_object().cloned().unwrap(), "toolu_1".into()),
    )
}
