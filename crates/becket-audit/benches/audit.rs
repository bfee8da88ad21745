//! The cost of a record of a verdict.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use becket_audit::VerdictLog;
use becket_engine::{AuditLog, Engine, Environment};
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, Session};
use becket_testkit::bench::{Bench, BenchTarget};
use futures_util::FutureExt;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

fn main() {
    let mut bench = Bench::new("becket-audit");
    let directory = tempfile::tempdir().unwrap();
    let event = Event::new(
        Session::new("bench", "/tmp/bench.jsonl", "/tmp"),
        PreToolUse::new(
            "Bash".into(),
            json!({"command": "ls -la"}).as_object().cloned().unwrap(),
            "toolu_1".into(),
        ),
    );
    let without = engine(directory.path(), "off");
    let with = engine(directory.path(), "required");
    let fire = |engine: &Engine| engine.fire(&event).now_or_never().unwrap();
    assert!(fire(&with).verdict.warnings.is_empty());
    bench.note("a tool call that a rule allows, whole; the difference of the two is the record");
    bench.alone(
        "fire a call that a rule decides, without an audit log",
        BenchTarget::Nanos(20_000.0),
        || fire(&without),
    );
    bench.alone("the same with a record of its verdict", BenchTarget::Nanos(40_000.0), || fire(&with));
    let log = VerdictLog::new(Some(directory.path().to_owned()));
    let (outcome, setting) = (fire(&without), with.config().policy.audit.clone());
    let record =
        || log.record(&setting, &becket_engine::AuditedVerdict::new(&event, &outcome, "digest")).unwrap();
    bench.note("hashed, linked, written under the lock; a checkpoint every 256 of them is not signed here");
    bench.alone("record a verdict", BenchTarget::Nanos(20_000.0), record);
}

fn engine(home: &Path, audit: &str) -> Engine {
    let log: Arc<dyn AuditLog> = Arc::new(VerdictLog::new(Some(home.to_owned())));
    Engine::builder()
        .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin").with_home(home))
        .start_dir("/tmp")
        .settings_text(json!({"audit": audit, "permissions": {"allow": ["Bash(ls *)"]}}).to_string())
        .audit(log)
        .build()
        .unwrap()
}
