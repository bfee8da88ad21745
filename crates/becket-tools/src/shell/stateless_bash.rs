//! Bash for agents of hooks: a command line, from its start to the end of everything that it started.
//!
//! The line runs in a session and process group of its own, in the session's cwd: a `cd` is forgotten after the call.
//! Processes that it leaves in the background do not outlive the call (see `shell::leader`), and requests to run in
//! the background are rejected.

use super::bash::check_line;
use super::leader::{LineCommand, LineResult, Streams};
use super::line_output::{Keep, LineEnd, LineOutput, add_refused, is_silent, joined};
use crate::auto_approve;
use crate::capture::Capture;
use crate::programs::LineCall;
use crate::schema::{Kind, Spec, optional, required};
use crate::surroundings::Surroundings;
use becket_engine::{Effect, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_process::Stream;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Bash for the agents of hooks.
pub(crate) struct StatelessBash {
    pub(crate) host: Arc<Surroundings>,
}

static SPEC: Spec = Spec {
    name: "Bash",
    description: "Runs a command line with bash, in the working directory; a `cd` affects this call only. Output past \
        30,000 characters of a stream is cut in its middle. Processes that the line leaves running are ended with it.",
    fields: &[
        required("command", Kind::Text, "The command line"),
        optional("timeout", Kind::Number(1, MOST_MS), "The time limit in milliseconds; 120,000 by default"),
        optional("description", Kind::Text, "What it does, in five to ten words"),
        optional("run_in_background", Kind::Flag, "Not supported here: must be false or omitted"),
    ],
};

const DEFAULT_MS: u64 = 120_000;
const MOST_MS: u64 = 600_000;

impl StatelessBash {
    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let timeout = running.input.get("timeout").and_then(Value::as_u64).unwrap_or(DEFAULT_MS);
        let limit = Duration::from_millis(timeout).min(running.limit);
        let mut output = LineOutput::new(Both::default());
        let call = LineCall::of(&running);
        let led = LineCommand {
            host: &self.host,
            call: &call,
            line: line(running.input),
            own: vec!["-c".into(), line(running.input).into()],
            streams: Streams::Apart,
            limit: Some(limit),
        };
        let finished = led.run(running.cancel, &mut output).await;
        let finished = finished.map_err(|error| ToolFailure::new(error.to_string()))?;
        let ended = LineEnd::of(finished.code, finished.end, limit);
        output.kept.answer(&ended, line(running.input), &finished)
    }
}

fn line(input: &Map<String, Value>) -> &str {
    input.get("command").and_then(Value::as_str).unwrap_or_default()
}

impl Tool for StatelessBash {
    fn name(&self) -> &str {
        SPEC.name
    }

    fn spec(&self) -> ToolSpec {
        SPEC.for_model()
    }

    fn hints(&self) -> Hints {
        Hints { open_world: false, ..Hints::default() }
    }

    fn enforces_rights(&self) -> bool {
        self.host.enforces_rights()
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        SPEC.validate(input)?;
        if input.get("run_in_background").and_then(Value::as_bool) == Some(true) {
            return Err(
                "`run_in_background` is not supported here: run the command in the foreground".to_owned()
            );
        }
        check_line(line(input))
    }

    fn defaults(&self) -> Map<String, Value> {
        SPEC.defaults()
    }

    fn effect(&self, session: &Session, input: &Map<String, Value>) -> Effect {
        let only_reads = auto_approve::is_read_only(line(input), &self.host, session);
        if only_reads { Effect::Reads } else { Effect::Acts }
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = text_of(value).ok_or("it does not have the shape of the output of `Bash`")?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.answer(running))
    }
}

fn text_of(response: &Value) -> Option<String> {
    let streams = [response.get("stdout")?.as_str()?, response.get("stderr")?.as_str()?];
    response.get("interrupted")?.as_bool()?;
    Some(joined(&streams))
}

/// The output of a line, with a separate stderr.
#[derive(Debug, Default)]
struct Both {
    stdout: Capture,
    stderr: Capture,
}

impl Keep for Both {
    fn keep(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => self.stdout.push(bytes),
            Stream::Stderr => self.stderr.push(bytes),
        }
    }
}

impl Both {
    fn answer(mut self, end: &LineEnd, line: &str, finished: &LineResult) -> Result<ToolOutput, ToolFailure> {
        let (stdout, stderr) = (self.stdout.text(), self.stderr.text());
        let mut response = json!({
            "stdout": stdout,
            "stderr": stderr,
            "interrupted": end.is_interrupted(),
            "isImage": stdout.starts_with("data:image/") && stdout.contains(";base64,"),
            "noOutputExpected": is_silent(line),
        });
        add_refused(&mut response, &finished.denied, &finished.refusals);
        let text = joined(&[&end.words(), &stdout, &stderr]);
        match end {
            LineEnd::Well => Ok(ToolOutput::text(text, response)),
            LineEnd::Code(_) | LineEnd::Killed(_) | LineEnd::TooLong(_) | LineEnd::Cancelled => {
                Err(ToolFailure::new(text).interrupted(end.is_interrupted()))
            }
        }
    }
}
