//! Bash: a command line, from its start to the end of all that it started.
//!
//! The line runs in a session and process group of its own, in the session's cwd: a `cd` is forgotten with the call. What
//! it leaves in the background does not outlive the call (see `shell::leader`), and commands in the background on purpose
//! are refused by name.

use super::capture::Capture;
use super::tool::{Call, Input, Tool, failed};
use crate::auto_approve;
use crate::schema::{Kind, Spec, optional, required};
use crate::shell::{Keep, LineCommand, LineEnd, LineOutput, Streams, is_silent, joined};
use crate::surroundings::Surroundings;
use becket_engine::ToolAnswer;
use becket_model::Session;
use becket_process::Stream;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::time::Duration;

/// Runs a command line.
#[derive(Debug)]
pub(crate) struct Bash;

static SPEC: Spec = Spec {
    name: "Bash",
    description: "Runs a command line with bash, in the working directory; a `cd` holds for this call only. Output past \
        30,000 characters of a stream is cut in its middle. What the line leaves running is ended with it.",
    fields: &[
        required("command", Kind::Text, "The command line"),
        optional(
            "timeout",
            Kind::Number(1, MOST_MS),
            "Milliseconds it may take; 120,000 where it is left out",
        ),
        optional("description", Kind::Text, "What it does, in five to ten words"),
        optional("run_in_background", Kind::Flag, "Not in this version: must be false or left out"),
    ],
};

const DEFAULT_MS: u64 = 120_000;
const MOST_MS: u64 = 600_000;

impl Tool for Bash {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn check(&self, input: Input<'_>) -> Result<(), String> {
        if input.flag("run_in_background") == Some(true) {
            return Err(
                "`run_in_background` is not in this version: run the command in the foreground".to_owned()
            );
        }
        match input.text("command").map(str::trim) {
            None | Some("") => Err("`command` is empty: write a command line".to_owned()),
            Some(line) if line.contains('\0') => Err("`command` holds a NUL character: remove it".to_owned()),
            Some(_) => Ok(()),
        }
    }

    fn runs_unasked(&self, host: &Surroundings, session: &Session, input: Input<'_>) -> bool {
        input.text("command").is_some_and(|line| auto_approve::is_read_only(line, host, session))
    }

    fn text_of(&self, response: &Value) -> Option<String> {
        let streams = [response.get("stdout")?.as_str()?, response.get("stderr")?.as_str()?];
        response.get("interrupted")?.as_bool()?;
        Some(joined(&streams))
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolAnswer> {
        Box::pin(async move {
            let limit = Duration::from_millis(call.input.number("timeout").unwrap_or(DEFAULT_MS));
            let line = call.input.text("command").unwrap_or_default();
            let mut heard = LineOutput::new(Both::default());
            let led = LineCommand {
                host: call.host,
                session: &call.session.id,
                cwd: &call.session.cwd,
                own: vec!["-c".into(), line.into()],
                streams: Streams::Apart,
                limit: Some(limit),
            };
            match led.run(call.cancel, &mut heard).await {
                Ok(finished) => {
                    let ended = LineEnd::of(heard.code(), finished.end, limit);
                    heard.kept.answer(&ended, line)
                }
                Err(error) => failed(error.to_string()),
            }
        })
    }
}

/// The output of a line, its stderr apart.
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
    fn answer(mut self, end: &LineEnd, line: &str) -> ToolAnswer {
        let (stdout, stderr) = (self.stdout.text(), self.stderr.text());
        let response = json!({
            "stdout": stdout,
            "stderr": stderr,
            "interrupted": end.is_interrupted(),
            "isImage": stdout.starts_with("data:image/") && stdout.contains(";base64,"),
            "noOutputExpected": is_silent(line),
        });
        let text = joined(&[&end.words(), &stdout, &stderr]);
        ToolAnswer { text, response, is_error: !matches!(end, LineEnd::Well) }
    }
}
