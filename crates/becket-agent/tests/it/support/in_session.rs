//! A session's own tools in a tree: calls, effects, suggestions, and a table of cases.

#![allow(clippy::panic, reason = "a test helper fails by panicking")]

use crate::support::{Tree, object};
use becket_engine::{CancellationToken, Effect, RunningCall, Tool, ToolFailure, ToolOutput, ToolSet};
use becket_model::Session;
use becket_model::event::PermissionMode;
use becket_tools::{Surroundings, file_tools};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct InSession {
    pub(crate) tools: ToolSet,
    pub(crate) session: Session,
}

impl InSession {
    pub(crate) fn new(tree: &Tree) -> Self {
        let environment = tree.environment().with_home(tree.base.join("home"));
        Self::of(tree, Surroundings::new(environment).with_directory(tree.base.join("more")))
    }

    pub(crate) fn of(tree: &Tree, surroundings: Surroundings) -> Self {
        Self::with(tree, file_tools(surroundings))
    }

    pub(crate) fn with(tree: &Tree, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        Self { tools: ToolSet::new(tools), session: Session::new("s", "/t.jsonl", tree.work()) }
    }

    pub(crate) fn in_mode(mut self, mode: &str) -> Self {
        self.session.permission_mode = Some(PermissionMode::from_name(mode));
        self
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> Result<ToolOutput, ToolFailure> {
        self.call_as(tool, input.clone(), input).await
    }

    /// Runs a call with a normalized input; `own` is the model's.
    pub(crate) async fn call_as(
        &self,
        tool: &str,
        input: Value,
        own: Value,
    ) -> Result<ToolOutput, ToolFailure> {
        let (input, own) = (object(input), object(own));
        let (cancel, limit) = (CancellationToken::new(), Duration::from_secs(60));
        let found = self.tools.find(tool).unwrap();
        found.check(&input).map_err(ToolFailure::new)?;
        let running = RunningCall {
            session: &self.session,
            id: "t",
            input: &input,
            own: &own,
            rights: &[],
            cancel: &cancel,
            limit,
            caller: &(),
        };
        found.run(running).await
    }

    pub(crate) fn effect(&self, tool: &str, input: Value) -> Effect {
        self.tools.find(tool).unwrap().effect(&self.session, &object(input))
    }

    pub(crate) fn suggestions(&self, tool: &str, input: Value) -> Value {
        let tool = self.tools.find(tool).unwrap();
        tool.suggestions(&self.session, &object(input)).iter().map(|update| update.to_json()).collect()
    }

    /// Reads a file so that the tools have seen it.
    pub(crate) async fn read(&self, tree: &Tree, path: &str) {
        self.call("Read", json!({"file_path": tree.base.join(path)})).await.unwrap();
    }
}

/// Runs the cases of a table: creates files, reads some, makes a call; then compares its answer and the files.
///
/// `$BASE` is the tree. `before` and `after`: texts by path, `after` `null` if there is no file. `read`: files that are
/// read before. `response`: fields of the response that are compared; `error`: a part of the failure.
pub(crate) async fn run_cases(table: &str, tool: &str) {
    let cases: Vec<Value> = serde_json::from_str(table).unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let tree = Tree::new();
        let case: Value =
            serde_json::from_str(&case.to_string().replace("$BASE", tree.base.to_str().unwrap())).unwrap();
        let name = case["name"].as_str().unwrap();
        for (path, text) in fields(&case, "before") {
            tree.write(path, text.as_str().unwrap());
        }
        let here = InSession::new(&tree);
        for path in case["read"].as_array().into_iter().flatten() {
            here.read(&tree, path.as_str().unwrap()).await;
        }
        let input = case["input"].clone();
        let own = case.get("own").cloned().unwrap_or_else(|| input.clone());
        match (here.call_as(tool, input, own).await, case.get("error")) {
            (Err(failure), Some(part)) => {
                assert!(failure.error.contains(part.as_str().unwrap()), "{name}: {failure}");
            }
            (Ok(output), None) => {
                for (field, value) in fields(&case, "response") {
                    assert_eq!(output.response[field], *value, "{name}: {field}");
                }
            }
            (answer, _) => panic!("{name}: {answer:?}"),
        }
        for (path, text) in fields(&case, "after") {
            let now = std::fs::read_to_string(tree.base.join(path)).ok();
            assert_eq!(now.as_deref(), text.as_str(), "{name}: {path}");
        }
        let left =
            tree.snapshot().into_iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "tmp"));
        assert_eq!(left.count(), 0, "{name}: something is left beside the file");
    }
}

fn fields<'a>(case: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    case.get(name).and_then(Value::as_object).into_iter().flat_map(Map::iter)
}
