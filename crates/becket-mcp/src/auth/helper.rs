//! Headers from a command of the user: `headersHelper`.
//!
//! It runs before the first request and again after a 401, never for each request. Its output is secret: no error
//! quotes any of it, not even if it is malformed.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use becket_process::{ByteCap, CancellationToken, Command, End, FinishedRun, Limits, Program, Runner};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use url::Url;

use crate::auth::source::{HeaderAttempt, HeaderSource, Headers, checked};
use crate::auth::{HeadersError, NoHeaders};
use crate::host::BoxFuture;
use becket_base::secret::{Redactor, Secret};

/// The time limit on a helper.
pub const HELPER_LIMIT: Duration = Duration::from_secs(10);

/// The limit on its stdout, in bytes.
const OUTPUT: usize = 64 << 10;

/// The limit on the lines of stderr in an error.
const LINES: usize = 10;

/// The command line and its directory.
#[derive(Clone)]
pub struct HelperCommand {
    /// The script for `/bin/sh -c`.
    pub script: String,
    /// The name of the server.
    pub server: String,
    /// The address of the server.
    pub url: Url,
    /// The whole environment. Two variables are added: `CLAUDE_CODE_MCP_SERVER_NAME` and `CLAUDE_CODE_MCP_SERVER_URL`.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory it starts in.
    pub cwd: PathBuf,
    /// The time limit, [`HELPER_LIMIT`] by default.
    pub limit: Duration,
}

/// The headers that a helper prints. They are cached until they are refused.
#[derive(Debug)]
pub struct Helper {
    command: HelperCommand,
    runner: Runner,
    kept: Mutex<Option<Headers>>,
    runs: AtomicU64,
}

impl Helper {
    /// Creates the source. Nothing is run yet. `runner` owns the processes.
    #[must_use]
    pub fn new(command: HelperCommand, runner: Runner) -> Self {
        Self { command, runner, kept: Mutex::default(), runs: AtomicU64::new(0) }
    }

    async fn ask(&self, attempt: HeaderAttempt) -> Result<Headers, NoHeaders> {
        let runs = self.runs.load(Ordering::Acquire);
        let mut kept = self.kept.lock().await;
        // Another request has run it meanwhile: its headers are not those that were refused.
        let is_newer = self.runs.load(Ordering::Acquire) != runs;
        if let Some(headers) = kept.as_ref().filter(|_| attempt == HeaderAttempt::First || is_newer) {
            return Ok(headers.clone());
        }
        *kept = None;
        let headers = self.run().await?;
        self.runs.fetch_add(1, Ordering::Release);
        *kept = Some(headers.clone());
        Ok(headers)
    }

    async fn run(&self) -> Result<Headers, HeadersError> {
        let HelperCommand { script, server, url, environment, cwd, limit } = &self.command;
        let mut command = Command::new(Program::shell(script), cwd);
        command.env.clone_from(environment);
        let added =
            [("CLAUDE_CODE_MCP_SERVER_NAME", server.as_str()), ("CLAUDE_CODE_MCP_SERVER_URL", url.as_str())];
        command.env.retain(|(name, _)| added.iter().all(|(own, _)| name != own));
        command.env.extend(added.map(|(name, value)| (name.into(), value.into())));
        let limits =
            Limits { deadline: Some(*limit), stdout_cap: ByteCap::bytes(OUTPUT), ..Limits::default() };
        let finished = self.runner.run(&command, &limits, &CancellationToken::new(), &mut |_| ()).await;
        let finished = finished.map_err(|error| HeadersError::Spawn(Arc::new(error)))?;
        let stderr = stderr_end(&finished);
        match finished.end {
            End::Exited(0) => read(&finished).map_err(|what| HeadersError::NotHeaders { what, stderr }),
            End::TimedOut => Err(HeadersError::TimedOut { limit: *limit, stderr }),
            end @ (End::Exited(_) | End::Signaled(_) | End::Cancelled | End::Lost) => {
                Err(HeadersError::Failed { end, stderr })
            }
        }
    }
}

impl HeaderSource for Helper {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        Box::pin(self.ask(attempt))
    }
}

/// Parses the headers on stdout. The error describes the problem without quoting the output.
fn read(finished: &FinishedRun) -> Result<Headers, String> {
    if finished.stdout.truncated() {
        return Err(format!("it printed more than {OUTPUT} bytes"));
    }
    if finished.stdout.bytes.trim_ascii().is_empty() {
        return Err("it printed nothing".to_owned());
    }
    let object: Map<String, Value> = serde_json::from_slice(&finished.stdout.bytes).map_err(|error| {
        format!("what it printed is not a JSON object (line {}, column {})", error.line(), error.column())
    })?;
    let mut headers = Headers::new();
    for (number, (name, value)) in object.iter().enumerate() {
        let number = number + 1;
        let Value::String(value) = value else {
            return Err(format!("the value of its entry {number} is not a string"));
        };
        let (name, value) = checked(name, &Secret::new(value)).map_err(|error| {
            let is_value = matches!(error, HeadersError::Value { .. });
            let wrong = if is_value { "value" } else { "name" };
            format!("the {wrong} of its entry {number} can't be sent")
        })?;
        headers.retain(|(known, _)| *known != name);
        headers.push((name, value));
    }
    Ok(headers)
}

/// The minimum length of a word of stdout that counts as a secret: others would match innocent text.
const SECRET_WORD: usize = 6;

/// Returns the end of stderr, without anything that is on stdout too.
fn stderr_end(finished: &FinishedRun) -> String {
    let stderr = String::from_utf8_lossy(&finished.stderr.bytes);
    let stdout = String::from_utf8_lossy(&finished.stdout.bytes);
    let words = stdout.split(|c: char| c.is_whitespace() || "\"'{}[],:;".contains(c));
    let stderr = Redactor::new(words.filter(|word| word.len() >= SECRET_WORD)).redact(stderr.trim());
    let cut = stderr.rmatch_indices('\n').nth(LINES - 1).map_or(0, |(newline, _)| newline + 1);
    stderr[cut..].to_owned()
}

/// Prints only the names of variables. The script may contain a secret.
impl fmt::Debug for HelperCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.environment.iter().map(|(name, _)| name).collect();
        f.debug_struct("HelperCommand")
            .field("server", &self.server)
            .field("environment", &names)
            .field("cwd", &self.cwd)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
