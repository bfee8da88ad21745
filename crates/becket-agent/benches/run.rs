//! Measures the cost of a tool call in a session, in addition to that of its tool and of the model: without a hook, and
//! with one that is a process, minus what the system needs for that process.
//!
//! Measured from the start of the first call of an answer until the last one is answered, including the transcript but
//! not the model. The tool does nothing, and calls run one after the other.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use becket_agent::session::Prompt;
use becket_agent::transcript::Store;
use becket_agent::update::{Update, UpdateKind};
use becket_agent::{Agent, AgentBuilder};
use becket_engine::{
    CancellationToken, Effect, Engine, Environment, RunningCall, Tool, ToolFailure, ToolOutput, ToolSet,
};
use becket_llm::{Block, Capabilities, Delta, Model, ModelError, Request, StopReason, ToolSpec};
use becket_model::Session;
use becket_testkit::bench::{Bench, BenchTarget};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::{Map, Value, json};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const NO_HOOK: BenchTarget = BenchTarget::Nanos(20_000.0);
const ONE_HOOK: BenchTarget = BenchTarget::Ratio(1.2);

fn main() {
    let mut bench = Bench::new("becket-agent");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let none = json!({});
    let other = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}});
    bench.note("100 calls of an answer; a tool that does nothing");
    for (row, settings, stored) in [
        ("a call, no hook at all, not stored", &none, false),
        ("a call, no hook at all", &none, true),
        ("a call, hooks of other events", &other, true),
    ] {
        let of = Measurement::new(&runtime, settings, stored);
        bench.sampled(row, NO_HOOK, || of.nanos_of_a_call(&runtime, 100), None);
    }
    bench.note(
        "10 calls of an answer; floor: posix_spawn of `sh -c true` by the standard library, and a wait",
    );
    for event in ["PreToolUse", "PostToolUse"] {
        let settings = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "true"}]}]}});
        let of = Measurement::new(&runtime, &settings, true);
        let ours = || of.nanos_of_a_call(&runtime, 10);
        bench.sampled(&format!("a call, one `true` at {event}"), ONE_HOOK, ours, Some(&mut || floor(10)));
    }
}

/// Returns the nanoseconds of the bare process.
fn floor(times: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        let status =
            Command::new("/bin/sh").args(["-c", "true"]).env_clear().env("PATH", "/usr/bin:/bin").status();
        assert!(status.unwrap().success());
    }
    nanos(start.elapsed()) / f64::from(times)
}

fn nanos(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// A session, and the measured times of its calls.
struct Measurement {
    agent: Agent,
    times: Arc<Mutex<Times>>,
    _home: TempDir,
}

#[derive(Default)]
struct Times {
    first: Option<Instant>,
    last: Option<Instant>,
    ended: u32,
}

impl Times {
    fn hear(&mut self, update: &Update) {
        if let UpdateKind::CallStarted { .. } = update.what {
            self.first.get_or_insert_with(Instant::now);
        }
        if let UpdateKind::CallEnded { is_error, .. } = update.what {
            assert!(!is_error, "the tool does not fail");
            self.last = Some(Instant::now());
            self.ended += 1;
        }
    }
}

impl Measurement {
    fn new(runtime: &Runtime, settings: &Value, stored: bool) -> Self {
        let home = tempfile::tempdir().unwrap();
        let toolbox = ToolSet::new([Arc::new(Nothing) as Arc<dyn Tool>]);
        let engine = Engine::builder()
            .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin"))
            .start_dir(home.path())
            .settings_text(settings.to_string())
            .tools(toolbox.clone())
            .build()
            .unwrap();
        let times = Arc::new(Mutex::new(Times::default()));
        let heard = Arc::clone(&times);
        let mut builder = AgentBuilder::new(engine, toolbox, Arc::new(Asks), home.path())
            .watch(move |update: &Update| heard.lock().unwrap().hear(update));
        if stored {
            builder = builder.store(Store::new(home.path()));
        }
        let agent = runtime.block_on(builder.open()).unwrap();
        Self { agent, times, _home: home }
    }

    fn nanos_of_a_call(&self, runtime: &Runtime, calls: u32) -> f64 {
        *self.times.lock().unwrap() = Times::default();
        let never = CancellationToken::new();
        runtime.block_on(self.agent.prompt(Prompt::text(calls.to_string()), &never));
        let times = self.times.lock().unwrap();
        assert_eq!(times.ended, calls);
        let took = times.last.unwrap() - times.first.unwrap();
        drop(times);
        // The conversation must not grow from sample to sample.
        runtime.block_on(self.agent.clear()).unwrap();
        nanos(took) / f64::from(calls)
    }
}

/// A tool that does nothing, and is always allowed.
struct Nothing;

impl Tool for Nothing {
    fn name(&self) -> &str {
        "Nothing"
    }

    fn spec(&self) -> ToolSpec {
        let description = "does nothing".to_owned();
        ToolSpec { name: self.name().into(), description, input_schema: json!({"type": "object"}) }
    }

    fn effect(&self, _: &Session, _: &Map<String, Value>) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, _: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async { Ok(ToolOutput::text("done", json!({"done": true}))) })
    }
}

/// A model that makes as many calls as the prompt requests, and then ends its turn.
struct Asks;

impl Asks {
    fn deltas(request: &Request) -> Vec<Delta> {
        let last = request.messages.last().unwrap();
        let words = last.content.iter().find_map(Block::as_text).unwrap_or_default();
        let start = Delta::Start { id: String::new(), model: "asks".into() };
        let Ok(calls) = words.parse::<usize>() else {
            let block = Block::Text("Done.".into());
            return vec![
                start,
                Delta::BlockStart { index: 0, block },
                Delta::BlockStop { index: 0 },
                Delta::Stop(StopReason::EndTurn),
            ];
        };
        let input = json!({"command": "ls -la", "n": 7});
        let call = |index: usize| {
            let input = input.as_object().cloned().unwrap();
            let block = Block::ToolUse { id: format!("toolu_{index}"), name: "Nothing".into(), input };
            [Delta::BlockStart { index, block }, Delta::BlockStop { index }]
        };
        let calls = (0..calls).flat_map(call);
        std::iter::once(start).chain(calls).chain([Delta::Stop(StopReason::ToolUse)]).collect()
    }
}

impl Model for Asks {
    fn name(&self) -> &str {
        "asks"
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<Delta, ModelError>> {
        stream::iter(Self::deltas(request).into_iter().map(Ok)).boxed()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { tools: true, json_schema: true }
    }
}
