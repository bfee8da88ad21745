//! Bash: the public interface.

use super::background::ShellTask;
use super::whereabouts::{self, Whereabouts};
use super::{foreground, suggest};
use crate::auto_approve;
use crate::programs::LineCall;
use crate::schema::{Field, Kind, Spec, optional, required};
use crate::surroundings::Surroundings;
use crate::tasks::{Tasks, for_model};
use becket_engine::{Effect, Environment, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_rules::PermissionUpdate;
use becket_rules::shell::Line;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

const DEFAULT_MS: u64 = 120_000;
const MOST_MS: u64 = 600_000;
/// The longest limit: a week. A variable that sets a longer one sets this.
const LONGEST_MS: u64 = 604_800_000;

/// The variable for the time limit of a line, in milliseconds, that the model gives none.
const DEFAULT_VARIABLE: &str = "BASH_DEFAULT_TIMEOUT_MS";
/// The variable for the longest time limit that the model can give, in milliseconds.
const MOST_VARIABLE: &str = "BASH_MAX_TIMEOUT_MS";
/// The variables that set the time limits of lines.
pub const LIMIT_VARIABLES: [&str; 2] = [DEFAULT_VARIABLE, MOST_VARIABLE];
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
            Kind::Number(1, LONGEST_MS),
            "The time limit in milliseconds. Without effect in the background",
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

/// The time limits of lines, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineLimits {
    usual: u64,
    most: u64,
}

impl LineLimits {
    /// Reads the limits from variables; one that is not a positive number does not count.
    fn of(environment: &Environment) -> Self {
        let number = |name: &str| {
            let given: u64 = environment.var(name)?.to_str()?.trim().parse().ok()?;
            (given > 0).then_some(given.min(LONGEST_MS))
        };
        let usual = number(DEFAULT_VARIABLE).unwrap_or(DEFAULT_MS);
        Self { usual, most: number(MOST_VARIABLE).unwrap_or(MOST_MS).max(usual) }
    }

    /// Checks the limit that the model gives.
    fn check(self, given: Option<u64>) -> Result<(), String> {
        match given {
            Some(given) if given > self.most => {
                let most = self.most;
                Err(format!("`timeout` of `Bash` must be a whole number from 1 to {most}, not `{given}`"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Writes the limits into the specification for the model.
    fn write(self, spec: &mut ToolSpec) {
        if let Some(timeout) = spec.input_schema.pointer_mut("/properties/timeout") {
            timeout["maximum"] = self.most.into();
            timeout["description"] = format!(
                "The time limit in milliseconds; {} by default. Without effect in the background",
                self.usual
            )
            .into();
        }
    }
}

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

    fn limits(&self) -> LineLimits {
        LineLimits::of(&self.host.environment)
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
        let limit = field("timeout").and_then(Value::as_u64).unwrap_or(self.limits().usual);
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
        let mut spec = for_model(&SPEC);
        self.limits().write(&mut spec);
        spec
    }

    fn hints(&self) -> Hints {
        Hints { open_world: false, ..Hints::default() }
    }

    fn enforces_rights(&self) -> bool {
        self.host.enforces_rights()
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        SPEC.validate(input)?;
        self.limits().check(input.get("timeout").and_then(Value::as_u64))?;
        check_line(input.get("command").and_then(Value::as_str).unwrap_or_default())
    }

    fn effect(&self, session: &Session, input: &Map<String, Value>) -> Effect {
        let line = input.get("command").and_then(Value::as_str).unwrap_or_default();
        auto_approve::effect(line, &self.current_host(), session)
    }

    fn harmless_commands(&self, session: &Session, line: &Line) -> Vec<usize> {
        // The directories of a subagent are its own, and the engine may ask the shell of the main agent.
        let host = if session.agent.is_none() { self.current_host() } else { self.host.clone() };
        auto_approve::harmless_commands(line, &host, session)
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
