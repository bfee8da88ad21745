//! The cost of background hooks for a host that polls them: one pass over a thousand pending ones.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use becket_engine::{Engine, Environment};
use becket_model::event::tool::PostToolUse;
use becket_model::{Event, Session, SessionId};
use becket_testkit::bench::{Bench, BenchTarget};
use serde_json::{Map, Value, json};

/// The number of pending hooks.
const HOOKS: usize = 1_000;

fn main() {
    let mut bench = Bench::new("becket-engine");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let engine = engine();
    let session = SessionId::from("bench");
    let event = event(&session);
    runtime.block_on(async {
        for _ in 0..HOOKS {
            let _ = engine.fire(&event).await;
        }
    });
    assert_eq!(engine.host().background().len(), HOOKS);
    bench.note(
        "32 of them run, the others wait for room; what is pending is listed, and what has ended collected",
    );
    bench.alone("one pass over 1,000 background hooks", BenchTarget::Nanos(200_000.0), || {
        (engine.host().background(), engine.host().collect_background(&session))
    });
    let ended = runtime.block_on(engine.host().end_background(&session));
    assert_eq!(ended.len(), HOOKS);
}

fn engine() -> Engine {
    let hook = json!({"type": "command", "command": "exec sleep 600", "async": true, "timeout": 600});
    Engine::builder()
        .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin"))
        .start_dir("/tmp")
        .settings_text(json!({"hooks": {"PostToolUse": [{"hooks": [hook]}]}}).to_string())
        .build()
        .unwrap()
}

fn event(session: &SessionId) -> Event {
    let body = PostToolUse::new(
        "Bash".into(),
        Map::from_iter([("command".to_owned(), Value::from("ls"))]),
        "toolu_1".into(),
        json!({}),
    );
    Event::new(Session::new(session.as_str(), "/tmp/bench.jsonl", "/tmp"), body)
}
