//! Bash: the public interface.

use super::background::ShellTask;
use super::whereabouts::{self, Whereabouts};
use super::{foreground, suggest};
use crate::auto_approve;
use crate::programs::LineCall;
use crate::schema::{Field, Kind, Spec, optional, required};
use crate::surroundings::Surroundings;
use crate::tasks::{Tasks, for_model};
use becket_engine::{Effect, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_rules::PermissionUpdate;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

const DEFAULT_MS: u64 = 120_000;
const MOST_MS: u64 = 600_000;
/// The maximum number of characters of a line that serve as its description if the model gave none.
const BRIEF: usize = 80;

static SPEC: Spec = Spec {
    name: "Bash",
    description: "Runs a command line with bash. The working directory persists from call to call; variables, functions \
        and options of the shell do not. Stdin is closed. Stderr is merged into the output; of more than 30,000 \
        characters the beginning and the end are shown, and the file with all of it is named. Processes that the line \
        leaves running are ended with it: to keep a command running, set `run_in_background`, and use TaskOutput later.",
    fields: &[
        required("command", Kind::Text, "The command line"),
        optional(
            "timeout",
            Kind::Number(1, MOST_MS),
            "The time limit in milliseconds; 120,000 by default. Without effect in the background",
        ),
        optional("description", Kind::Text, "What it does, in five to ten words"),
        Field {
            name: "run_in_background",
            kind: Kind::Flag,
            required: false,
            default: None,
            description: "Answer at once, with the id of a background task",
        },
    ],
};

/// The shell of a session. Cheap to clone; clones share the session.
#[derive(Clone)]
pub struct Bash {
    pub(super) host: Surroundings,
    pub(super) tasks: Tasks,
    pub(super) whereabouts: Arc<dyn Whereabouts>,
}

impl Bash {
    /// Creates the shell of the session that owns these background tasks; output that is too long to show is kept in
    /// their directory. The directories of `host` count in addition to those of `whereabouts`.
    #[must_use]
    pub fn new(host: Surroundings, tasks: Tasks, whereabouts: Arc<dyn Whereabouts>) -> Self {
        Self { host, tasks, whereabouts }
    }

    /// Returns the host, with the working directories as they are now.
    fn current_host(&self) -> Surroundings {
        let directories = whereabouts::directories(&*self.whereabouts);
        directories.into_iter().fold(self.host.clone(), Surroundings::with_directory)
    }

    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let field = |name: &str| running.input.get(name);
        let line = field("command").and_then(Value::as_str).unwrap_or_default();
        if let Some(error) = whereabouts::recover(&*self.whereabouts, &running.session.cwd) {
            return Err(ToolFailure::new(error));
        }
        if field("run_in_background").and_then(Value::as_bool) == Some(true) {
            let described =
                field("description").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
            return self.start(LineCall::of(&running), line, described);
        }
        let limit = field("timeout").and_then(Value::as_u64).unwrap_or(DEFAULT_MS);
        let limit = Duration::from_millis(limit).min(running.limit);
        foreground::run(self, running, line, limit).await
    }

    /// Starts a line in the background.
    fn start(&self, call: LineCall, line: &str, described: Option<&str>) -> Result<ToolOutput, ToolFailure> {
        let first = line.trim().lines().next().unwrap_or_default();
        let description = described.map_or_else(|| first.chars().take(BRIEF).collect(), str::to_owned);
        let task = ShellTask { host: self.host.clone(), call, line: line.to_owned(), description };
        let task = self.tasks.start(task).map_err(|error| ToolFailure::new(error.to_string()))?;
        let text = format!(
            "Command runs in the background as task {id}. Its output goes to {file}. You will be told when it ends; \
             TaskOutput shows its state, TaskStop ends it.",
            id = task.id,
            file = task.output_file.display()
        );
        let response = json!({
            "stdout": "",
            "stderr": "",
            "interrupted": false,
            "isImage": false,
            "noOutputExpected": true,
            "backgroundTaskId": task.id.as_str(),
        });
        Ok(ToolOutput::text(text, response))
    }
}

/// Checks the text of a command line.
pub(super) fn check_line(line: &str) -> Result<(), String> {
    match line.trim() {
        "" => Err("`command` is empty: write a command line".to_owned()),
        line if line.contains('\0') => Err("`command` contains a NUL character: remove it".to_owned()),
        _ => Ok(()),
    }
}

impl Tool for Bash {
    fn name(&self) -> &str {
        SPEC.name
    }

    fn spec(&self) -> ToolSpec {
        for_model(&SPEC)
    }

    fn hints(&self) -> Hints {
        Hints { open_world: false, ..Hints::default() }
    }

    fn enforces_rights(&self) -> bool {
        self.host.enforces_rights()
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        SPEC.validate(input)?;
        check_line(input.get("command").and_then(Value::as_str).unwrap_or_default())
    }

    fn effect(&self, session: &Session, input: &Map<String, Value>) -> Effect {
        let line = input.get("command").and_then(Value::as_str).unwrap_or_default();
        auto_approve::effect(line, &self.current_host(), session)
    }

    fn suggestions(&self, _: &Session, input: &Map<String, Value>) -> Vec<PermissionUpdate> {
        let line = input.get("command").and_then(Value::as_str).unwrap_or_default();
        suggest::for_line(line).into_iter().collect()
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        foreground::shown(value)
            .ok_or_else(|| "it does not have the shape of the output of `Bash`".to_owned())
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.answer(running))
    }
}

impl fmt::Debug for Bash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bash").field("host", &self.host).field("tasks", &self.tasks).finish_non_exhaustive()
    }
}
