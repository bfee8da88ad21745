//! The cost of an event in the engine: with no hook, planned among many handlers, with real processes.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use becket_engine::{Engine, Environment};
use becket_model::event::lifecycle::Stop;
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, Session};
use becket_process::{CancellationToken, Command, Limits, Program, Runner};
use becket_testkit::bench::{Bench, BenchTarget};
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::cell::Cell;
use std::hint::black_box;
use tokio::runtime::{Builder, Runtime};

fn main() {
    let mut bench = Bench::new("becket-engine");
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    no_hook(&mut bench);
    plan(&mut bench);
    processes(&mut bench, &runtime, 1);
    processes(&mut bench, &runtime, 10);
    worker(&mut bench, &runtime);
}

fn engine(settings: &Value) -> Engine {
    Engine::builder()
        .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin"))
        .start_dir("/tmp")
        .settings_text(settings.to_string())
        .build()
        .unwrap()
}

fn tool(name: &str) -> Event {
    let input = json!({"command": "ls -la"});
    Event::new(
        Session::new("bench", "/tmp/bench.jsonl", "/tmp"),
        PreToolUse::new(name.into(), input.as_object().cloned().unwrap(), "toolu_1".into()),
    )
}

fn no_hook(bench: &mut Bench) {
    let engine =
        engine(&json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}));
    let body: Stop = serde_json::from_value(json!({"stop_hook_active": false})).unwrap();
    let event = Event::new(Session::new("bench", "/tmp/bench.jsonl", "/tmp"), body);
    bench.note("the whole of `fire`, outcome included");
    bench.alone("fire an event that has no hook", BenchTarget::Nanos(60.0), || {
        engine.fire(&event).now_or_never().unwrap()
    });
}

/// Returns 1,000 handlers in 500 groups, names and expressions; ten of them match.
fn thousand() -> Value {
    let command = |n: usize| json!([{"type": "command", "command": format!("a{n}")}, {"type": "command", "command": format!("b{n}")}]);
    let groups: Vec<Value> = (0..500)
        .map(|n| {
            let matcher = match n {
                0..5 => "Bash".to_owned(),
                _ if n % 2 == 0 => format!("Tool{n}|Other{n}"),
                _ => format!("^mcp__server{n}__.*$"),
            };
            json!({"matcher": matcher, "hooks": command(n)})
        })
        .collect();
    json!({"hooks": {"PreToolUse": groups}})
}

fn plan(bench: &mut Bench) {
    let engine = engine(&thousand());
    let event = tool("Bash");
    assert_eq!(engine.plan(&event).runs().len(), 10);
    bench.note("10 of 1,000 handlers match");
    bench.alone("plan among 1,000 handlers, value seen before", BenchTarget::Nanos(1_000.0), || {
        engine.plan(&event)
    });
    let count = Cell::new(0_u64);
    bench.note("a value that no matcher has seen, its event made in the same iteration");
    bench.alone("plan among 1,000 handlers, value never seen", BenchTarget::Nanos(50_000.0), || {
        count.set(count.get() + 1);
        engine.plan(&tool(&format!("New{}", count.get())))
    });
}

fn processes(bench: &mut Bench, runtime: &Runtime, many: usize) {
    // Each with its own comment, or they would be merged into one.
    let handlers: Vec<Value> =
        (0..many).map(|n| json!({"type": "command", "command": format!("true #{n}")})).collect();
    let engine = engine(&json!({"hooks": {"PreToolUse": [{"hooks": handlers}]}}));
    let event = tool("Bash");
    assert_eq!(engine.plan(&event).runs().len(), many);
    let runner = Runner::new();
    let command = Command::new(Program::shell("true"), "/tmp").env("PATH", "/usr/bin:/bin");
    let limits = Limits::default();
    let cancel = CancellationToken::new();
    let floor = || {
        let mut sinks = vec![|_: becket_process::Chunk<'_>| (); many];
        let runs = sinks.iter_mut().map(|sink| runner.run(&command, &limits, &cancel, sink));
        runtime.block_on(futures_util::future::join_all(runs))
    };
    bench.note("floor: the process runner alone, which stands against posix_spawn in becket-process");
    let name =
        if many == 1 { "one `true` hook, whole event" } else { "ten `true` hooks at once, whole event" };
    bench.versus(name, BenchTarget::Ratio(1.15), || black_box(runtime.block_on(engine.fire(&event))), floor);
    if many == 1 {
        over_the_system(bench, runtime, &engine, &event);
    }
}

/// Measures the engine and the runner together, beyond the cost of the system.
fn over_the_system(bench: &mut Bench, runtime: &Runtime, engine: &Engine, event: &Event) {
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", "true"]).env_clear().env("PATH", "/usr/bin:/bin").stdin(std::process::Stdio::null());
    let floor = || assert!(shell.status().unwrap().success());
    bench.note("floor: the standard library's posix_spawn and wait of `sh -c true`");
    let name = "one `true` hook, whole event, over the system";
    bench.versus(name, BenchTarget::Ratio(1.15), || black_box(runtime.block_on(engine.fire(event))), floor);
}

/// Measures a guard in Python that is started for each event, and as a worker.
fn worker(bench: &mut Bench, runtime: &Runtime) {
    const GUARD: &str = "import json, sys\nfor line in sys.stdin:\n    event = json.loads(line)\n    \
                         print(json.dumps({'requestId': event.get('requestId')}), flush=True)";
    let guard = |is_worker: bool| {
        let handler =
            json!({"type": "command", "command": "python3", "args": ["-c", GUARD], "worker": is_worker});
        engine(&json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}))
    };
    let (cold, warm) = (guard(false), guard(true));
    let event = tool("Bash");
    let fire = |engine: &Engine| {
        let outcome = runtime.block_on(engine.fire(&event));
        assert!(outcome.runs[0].failure.is_none(), "{:?}", outcome.runs[0].failure);
    };
    bench.note("floor: the same guard, started for each event");
    bench.versus(
        "a guard in Python as a worker, whole event",
        BenchTarget::Nanos(200_000.0),
        || fire(&warm),
        || fire(&cold),
    );
}
