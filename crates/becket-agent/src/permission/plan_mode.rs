//! The tool `ExitPlanMode`: the model shows its plan to the user, whose approval ends the mode `plan` (`protocol.md`
//! P14).
//!
//! Approval works as for every call: an allow of a hook counts only with an `updatedInput` (D3).

use super::session::SessionPermissions;
use crate::facts::Facts;
use becket_base::private_file;
use becket_engine::{Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_model::event::PermissionMode;
use becket_rules::{Change, Destination, Mode, PermissionUpdate};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::fmt;
use std::path::PathBuf;

const NAME: &str = "ExitPlanMode";

/// The tool that ends the mode `plan` once the plan is approved, and stores the plan in a file.
pub struct ExitPlanMode {
    permissions: SessionPermissions,
    facts: Facts,
    plan_file: PathBuf,
}

impl ExitPlanMode {
    /// Creates the tool of a session; plans are written to `plan_file`, absolute, readable only by its owner.
    #[must_use]
    pub fn new(permissions: SessionPermissions, facts: Facts, plan_file: PathBuf) -> Self {
        Self { permissions, facts, plan_file }
    }

    fn approved(&self, input: &Map<String, Value>) -> Result<ToolOutput, ToolFailure> {
        let plan = plan(input).map_err(ToolFailure::new)?;
        if self.facts.mode() != PermissionMode::Plan {
            return Err(ToolFailure::new("the session is not in the mode `plan`: go on with the work"));
        }
        private_file::create_parent(&self.plan_file)
            .and_then(|()| private_file::replace(&self.plan_file, plan.as_bytes()))
            .map_err(|error| {
                ToolFailure::new(format!("`{}` can't be written: {error}", self.plan_file.display()))
            })?;
        let mode = self.permissions.leave_plan(&self.facts).unwrap_or(PermissionMode::Default);
        let text = format!(
            "The plan was approved. The session is in the mode `{}` now: carry the plan out.\n\nThe plan, as approved (kept in \
             {}):\n{plan}",
            mode.as_str(),
            self.plan_file.display()
        );
        let response = json!({"plan": plan, "isAgent": false, "filePath": self.plan_file});
        Ok(ToolOutput::text(text, response))
    }
}

impl Tool for ExitPlanMode {
    fn name(&self) -> &str {
        NAME
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.to_owned(),
            description: "In the mode `plan`, lays your plan before the user. Call it once you know what you would do, and \
                          before you change anything. If the user approves, the mode ends and you carry the plan out."
                .to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {"plan": {"type": "string", "description": "The plan, in Markdown."}},
                "required": ["plan"],
            }),
        }
    }

    fn hints(&self) -> Hints {
        Hints { read_only: true, destructive: false, open_world: false, together: false }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        plan(input).map(|_| ())
    }

    /// Returns the path of the plan (N3).
    fn defaults(&self) -> Map<String, Value> {
        Map::from_iter([("planFilePath".to_owned(), json!(self.plan_file))])
    }

    fn suggestions(&self, _: &Session, _: &Map<String, Value>) -> Vec<PermissionUpdate> {
        let change = Change::SetMode(Mode::AcceptEdits);
        vec![PermissionUpdate { destination: Destination::Session, change }]
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move { self.approved(running.input) })
    }
}

impl fmt::Debug for ExitPlanMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(NAME).field("plan_file", &self.plan_file).finish_non_exhaustive()
    }
}

fn plan(input: &Map<String, Value>) -> Result<&str, String> {
    match input.get("plan") {
        Some(Value::String(plan)) if !plan.trim().is_empty() => Ok(plan),
        Some(Value::String(_)) => Err("`plan` is empty: write down what you would do".to_owned()),
        Some(other) => Err(format!("`plan` must be a text, not `{other}`")),
        None => Err("`plan` is missing: write down what you would do".to_owned()),
    }
}
