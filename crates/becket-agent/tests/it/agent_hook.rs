//! The tools of an `agent` handler: a real engine, a scripted model, real files and processes.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::Tree;
use crate::support::until;
use becket_engine::{Engine, Environment};
use becket_llm::{Block, Model, ModelError, Models, Script, ScriptedModel};
use becket_model::event::lifecycle::Stop;
use becket_model::{Event, Session};
use becket_testkit::proc::Marker;
use becket_tools::{Surroundings, hook_tools};
use serde_json::{Value, json};
use std::sync::Arc;

/// A single model for every name.
struct One(Arc<ScriptedModel>);

impl Models for One {
    fn model(&self, _: Option<&str>) -> Result<Arc<dyn Model>, ModelError> {
        Ok(self.0.clone())
    }
}

fn call(tool: &str, input: Value) -> Value {
    json!({"tool_uses": [{"name": tool, "input": input}]})
}

/// Returns an engine whose agent on Stop follows these turns and then agrees.
fn engine(
    tree: &Tree,
    environment: &Environment,
    handler: Value,
    mut turns: Vec<Value>,
) -> (Engine, Arc<ScriptedModel>) {
    let settings = json!({
        "permissions": {"allow": ["Bash(touch *)", "Bash(sleep *)"], "deny": ["Read(./sub/**)"]},
        "hooks": {"Stop": [{"hooks": [handler]}]},
    });
    tree.write("work/.claude/settings.json", settings.to_string());
    turns.push(call("StructuredOutput", json!({"reason": "as seen", "ok": true})));
    let script = Script::from_text(&json!({"turns": turns}).to_string(), "script").unwrap();
    let model = Arc::new(ScriptedModel::new(script));
    let tools = hook_tools(Surroundings::new(environment.clone()));
    let managed = tree.base.join("managed");
    let builder = Engine::builder().environment(environment.clone()).start_dir(tree.work());
    let builder = builder.request(|request| request.managed = Some(managed)).models(One(model.clone()));
    (builder.tools(tools.clone()).agent_tools(move |_| tools.clone()).build().unwrap(), model)
}

fn stop(tree: &Tree) -> Event {
    let stop: Stop = serde_json::from_value(json!({"stop_hook_active": false})).unwrap();
    Event::new(Session::new("s", tree.base.join("t.jsonl"), tree.work()), stop)
}

/// Returns the results that the model got for its calls, in order.
fn call_results(model: &ScriptedModel) -> Vec<String> {
    let requests = model.requests();
    let messages = requests.last().map(|last| last.request.messages.clone()).unwrap();
    let results = messages.into_iter().flat_map(|message| message.content).filter_map(|block| {
        let Block::ToolResult { content, is_error, .. } = block else { return None };
        let text: Vec<&str> = content.iter().filter_map(Block::as_text).collect();
        Some(format!("{}{}", if is_error { "ERROR " } else { "" }, text.join("\n")))
    });
    results.collect()
}

// rules: H8, P14, N3, L1
#[tokio::test]
async fn an_agent_reads_unasked_and_does_nothing_else_that_no_rule_allows() {
    let tree = Tree::new();
    let environment = tree.environment().with_home(tree.base.join("home"));
    let steps = [
        (call("Read", json!({"file_path": "a.txt"})), "     1\tone\n     2\ttwo\n"),
        (call("Bash", json!({"command": "cat a.txt | head -1"})), "one"),
        (call("Grep", json!({"pattern": "more", "path": tree.base.join("more")})), "ERROR not allowed"),
        (call("Bash", json!({"command": "rm a.txt"})), "ERROR not allowed"),
        (call("Bash", json!({"command": "cat ../outside/secret"})), "ERROR not allowed"),
        (call("Bash", json!({"command": "touch made"})), "(no output)"),
        (call("Read", json!({"file_path": "sub/b.txt"})), "ERROR denied"),
        (call("Read", json!({"file_path": tree.work().join("link")})), "ERROR not allowed"),
        (call("Read", json!({"path": "a.txt"})), "ERROR the input does not fit: `Read` has no `path`"),
        (call("Glob", json!({"pattern": "*.txt", "path": "sub2"})), "sub2/b.txt"),
    ];
    let turns = steps.iter().map(|(turn, _)| turn.clone()).collect();
    let hook = json!({"type": "agent", "prompt": "are the tests green?"});
    let (engine, model) = engine(&tree, &environment, hook, turns);
    let outcome = engine.fire(&stop(&tree)).await;
    assert!(outcome.verdict.failures.is_empty(), "{:?}", outcome.verdict.failures);
    let results = call_results(&model);
    assert_eq!(results.len(), steps.len());
    for (result, (turn, expected)) in results.iter().zip(&steps) {
        assert!(result.starts_with(expected), "{turn}: {result}");
    }
    assert!(tree.work().join("a.txt").exists() && tree.work().join("made").exists());
}

// rules: H8, H4
#[tokio::test]
async fn an_agent_that_is_out_of_time_leaves_no_process() {
    let tree = Tree::new();
    let marker = Marker::new();
    let (name, value) = marker.env();
    let environment = tree.environment().with_home(tree.base.join("home")).with_var(name, value);
    let hook = json!({"type": "agent", "prompt": "wait", "timeout": 2});
    let turns = vec![call("Bash", json!({"command": "sleep 1000 & sleep 1000"}))];
    let (engine, _) = engine(&tree, &environment, hook, turns);
    let event = stop(&tree);
    let fired = async { engine.fire(&event).await };
    let seen = async {
        until("the line has started", || !marker.alive().is_empty()).await;
    };
    drop(tokio::join!(fired, seen));
    marker.wait_for(0);
}
