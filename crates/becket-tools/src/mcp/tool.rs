//! One tool of an MCP server, like any other tool (`protocol.md` X5).

use super::answer::OutputStore;
use becket_engine::{Hints, RunningCall, Tool, ToolFailure, ToolOutput, ToolServer};
use becket_llm::ToolSpec;
use becket_mcp::{Connect, InputError, Name, Pool, ToolCall};
use becket_model::Session;
use becket_rules::{Change, Destination, PermissionUpdate, Rule, RuleList};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The key in `_meta` by which a tool declares that a person has to answer its prompts (D3).
const NEEDS_PERSON: &str = "anthropic/requiresUserInteraction";

/// A tool of a server. Its name and its server were fixed when it was created: a call goes to the tool that hooks and
/// rules have judged, whatever the server lists by then.
pub(super) struct McpTool {
    pub(super) pool: Pool,
    pub(super) named: Name,
    pub(super) tool: becket_mcp::Tool,
    pub(super) server: ToolServer,
    /// True if the user trusts the server's annotations of its tools.
    pub(super) trusted: bool,
    pub(super) kept: Arc<OutputStore>,
}

impl Tool for McpTool {
    fn name(&self) -> &str {
        self.named.full.as_ref()
    }

    fn other_name(&self) -> Option<&str> {
        self.named.written.as_deref()
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.named.full.to_string(),
            description: self
                .tool
                .description
                .clone()
                .or_else(|| self.tool.title.clone())
                .unwrap_or_default(),
            input_schema: Value::Object((*self.tool.input_schema).clone()),
        }
    }

    fn hints(&self) -> Hints {
        let becket_mcp::Hints { read_only, destructive, open_world, idempotent: _ } = self.tool.hints;
        let together = self.tool.may_run_together();
        Hints { read_only: read_only && self.trusted, destructive, open_world, together }
    }

    fn server(&self) -> Option<&ToolServer> {
        Some(&self.server)
    }

    fn requires_user(&self) -> bool {
        let value = self.tool.meta.as_ref().and_then(|meta| meta.get(NEEDS_PERSON));
        // Any value but a plain no counts as yes.
        value.is_some_and(|value| !matches!(value, Value::Bool(false) | Value::Null))
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        self.tool.validate(input).map_err(|wrong| {
            let wrong: Vec<String> = wrong.iter().map(InputError::to_string).collect();
            wrong.join("; ")
        })
    }

    fn suggestions(&self, _: &Session, _: &Map<String, Value>) -> Vec<PermissionUpdate> {
        let rule = Rule::parse(&self.named.full).ok();
        let update = |rule| PermissionUpdate {
            destination: Destination::LocalSettings,
            change: Change::AddRules(RuleList::Allow, vec![rule]),
        };
        rule.map(update).into_iter().collect()
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        self.kept.replaced(value)
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        let call = ToolCall {
            server: &self.named.server,
            tool: &self.named.name,
            input: running.input.clone(),
            limit: running.limit,
            connect: Connect::IfNeeded,
        };
        Box::pin(async move {
            let called = self.pool.call(call, running.cancel).await;
            let result = called.map_err(|error| ToolFailure::new(error.to_string()))?;
            self.kept.output(result).await
        })
    }
}
