//! The cost of an event if all matching handlers run in the process.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use becket_engine::{Callback, Engine};
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, EventKind, Reply, Session};
use becket_testkit::bench::{Bench, BenchTarget};
use futures_util::FutureExt;
use serde_json::json;

fn main() {
    let mut bench = Bench::new("becket-engine");
    let event = event();
    bench.note("plan, call, fold, settlement, outcome; it answers nothing");
    let engine = engine_of([inline()]);
    bench.alone("one inline callback, whole event", BenchTarget::Nanos(1_000.0), || fire(&engine, &event));
    let engine = engine_of([Callback::inline(EventKind::PreToolUse, |_| Reply::deny("no"))]);
    bench.note("it denies");
    bench.alone("one inline callback that denies, whole event", BenchTarget::Nanos(1_000.0), || {
        fire(&engine, &event)
    });
    bench.note("its future is ready at once");
    let engine = engine_of([asynchronous()]);
    bench.alone("one asynchronous callback, whole event", BenchTarget::Nanos(1_000.0), || {
        fire(&engine, &event)
    });
    let engine = engine_of((0..10).map(|_| inline()));
    bench.note("of one registration");
    bench.alone("ten inline callbacks, whole event", BenchTarget::Nanos(4_000.0), || fire(&engine, &event));
    let engine = engine_of((0..10).map(|_| asynchronous()));
    bench.alone("ten asynchronous callbacks, whole event", BenchTarget::Nanos(4_000.0), || {
        fire(&engine, &event)
    });
    let engine = engine_of([]);
    for _ in 0..10 {
        engine.on(inline()).unwrap();
    }
    bench.note("each registered by itself");
    bench.alone("ten inline callbacks of ten registrations", BenchTarget::Nanos(4_000.0), || {
        fire(&engine, &event)
    });
}

fn engine_of(callbacks: impl IntoIterator<Item = Callback>) -> Engine {
    let engine = Engine::builder().start_dir("/tmp").build().unwrap();
    engine.on_all(callbacks).unwrap();
    engine
}

fn inline() -> Callback {
    Callback::inline(EventKind::PreToolUse, |_| ()).matcher("Bash")
}

fn asynchronous() -> Callback {
    Callback::future(EventKind::PreToolUse, |_, _| Box::pin(async {})).matcher("Bash")
}

fn fire(engine: &Engine, event: &Event) -> becket_engine::Outcome {
    engine.fire(event).now_or_never().unwrap()
}

fn event() -> Event {
    Event::new(
        Session::new("bench", "/tmp/bench.jsonl", "/tmp"),
        PreToolUse::new(
            "Bash".into(),
            json!({"command": "ls -la"}).as_object().cloned().unwrap(),
            "toolu_1".into(),
        ),
    )
}
