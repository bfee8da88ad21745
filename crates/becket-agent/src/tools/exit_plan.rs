//! ExitPlanMode: the model shows its plan for the user's approval.
//!
//! A hook's allow counts only beside the input that it has looked at (`protocol.md` D3); the mode changes when the call
//! runs, not before. The host chooses the mode that follows.

use crate::schema::{Field, Kind, Spec, optional, required};
use crate::tool_call::{Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_model::event::PermissionMode;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The way in which a session leaves the mode `plan`.
#[derive(Clone)]
pub struct LeavePlan {
    leave: Arc<dyn Fn(&Session) + Send + Sync>,
    file: Option<Arc<dyn Fn() -> PathBuf + Send + Sync>>,
}

impl LeavePlan {
    /// Changes the mode.
    #[must_use]
    pub fn new(leave: impl Fn(&Session) + Send + Sync + 'static) -> Self {
        Self { leave: Arc::new(leave), file: None }
    }

    /// Says which file the plan is kept in, for hooks (`planFilePath`, N3). The host writes it.
    #[must_use]
    pub fn with_file(mut self, file: impl Fn() -> PathBuf + Send + Sync + 'static) -> Self {
        self.file = Some(Arc::new(file));
        self
    }

    fn path(&self) -> Option<String> {
        self.file.as_ref().map(|file| file().display().to_string())
    }
}

impl fmt::Debug for LeavePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeavePlan").field("has_file", &self.file.is_some()).finish_non_exhaustive()
    }
}

/// Leaves the mode `plan`.
pub(crate) struct ExitPlanMode {
    pub(crate) plan: LeavePlan,
}

/// The specification for the model.
static SPEC: Spec = Spec { name: NAME, description: DESCRIPTION, fields: &[PLAN] };
/// The accepted input.
static TAKEN: Spec = Spec { name: NAME, description: DESCRIPTION, fields: &[PLAN, FILE] };

const NAME: &str = "ExitPlanMode";
const DESCRIPTION: &str = "Shows the user the plan once it is complete, and asks to begin. Only in the mode `plan`, and only \
    for work that changes something: what was only to be found out is answered instead.";
const PLAN: Field = required("plan", Kind::Text, "The plan, in Markdown");
const FILE: Field = optional("planFilePath", Kind::Text, "Where the plan is kept");

impl ExitPlanMode {
    fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let session = running.session;
        if session.agent.as_ref().is_some_and(|agent| agent.id.is_some()) {
            return Err(ToolFailure::new(
                "a subagent does not leave the mode `plan`: answer with the plan instead",
            ));
        }
        if session.permission_mode != Some(PermissionMode::Plan) {
            return Err(ToolFailure::new("the session is not in the mode `plan`: begin"));
        }
        (self.plan.leave)(session);
        let response = json!({
            "plan": running.input.get("plan"),
            "isAgent": false,
            "filePath": running.input.get("planFilePath"),
        });
        Ok(ToolOutput::text(text(&response).unwrap_or_default(), response))
    }
}

fn text(response: &Value) -> Option<String> {
    let plan = response.get("plan")?.as_str()?;
    Some(format!("The user agrees with the plan: begin.\n\n{plan}"))
}

impl Tool for ExitPlanMode {
    fn name(&self) -> &str {
        SPEC.name
    }

    fn spec(&self) -> ToolSpec {
        SPEC.for_model()
    }

    fn hints(&self) -> Hints {
        Hints { read_only: true, destructive: false, open_world: false, together: false }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        TAKEN.validate(input).map_err(|error| error.to_string())?;
        let field = |name: &str| input.get(name).and_then(Value::as_str);
        if field("plan").is_some_and(|plan| plan.trim().is_empty()) {
            return Err("`plan` is empty: write it".to_owned());
        }
        match (field("planFilePath"), self.plan.path()) {
            (None, _) => Ok(()),
            (Some(given), Some(path)) if given == path => Ok(()),
            (Some(_), _) => Err("`planFilePath` is the host's to say: leave it out".to_owned()),
        }
    }

    fn defaults(&self) -> Map<String, Value> {
        self.plan.path().map(|path| ("planFilePath".to_owned(), Value::String(path))).into_iter().collect()
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = text(value).ok_or("it does not have the shape of the output of `ExitPlanMode`")?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move { self.answer(running) })
    }
}
