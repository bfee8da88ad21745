//! A tool whose description alone counts.

use becket_engine::{RunningCall, Tool, ToolFailure, ToolOutput, ToolSet};
use becket_llm::ToolSpec;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A check of an input.
pub(crate) type Check = fn(&Map<String, Value>) -> Result<(), String>;

/// A tool with a schema; its calls fail.
#[derive(Clone)]
pub(crate) struct DescribedTool {
    pub(crate) name: &'static str,
    pub(crate) check: Check,
    pub(crate) defaults: Map<String, Value>,
    pub(crate) requires_user: bool,
    pub(crate) enforces_rights: bool,
}

impl DescribedTool {
    pub(crate) fn new(name: &'static str, check: Check) -> Self {
        Self { name, check, defaults: Map::new(), requires_user: false, enforces_rights: false }
    }
}

/// Returns the set of these tools.
pub(crate) fn tool_set(tools: impl IntoIterator<Item = DescribedTool>) -> ToolSet {
    tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect()
}

impl Tool for DescribedTool {
    fn name(&self) -> &str {
        self.name
    }

    fn spec(&self) -> ToolSpec {
        let (name, description) = (self.name.to_owned(), String::new());
        ToolSpec { name, description, input_schema: json!({"type": "object"}) }
    }

    fn requires_user(&self) -> bool {
        self.requires_user
    }

    fn enforces_rights(&self) -> bool {
        self.enforces_rights
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        (self.check)(input)
    }

    fn defaults(&self) -> Map<String, Value> {
        self.defaults.clone()
    }

    fn run<'a>(&'a self, _: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        std::future::ready(Err(ToolFailure::new("a description does nothing"))).boxed()
    }
}
