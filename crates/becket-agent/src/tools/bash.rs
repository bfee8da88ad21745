//! Bash: a command line, from its start to the end of all that it started.
//!
//! The line runs in a session and process group of its own, in the session's cwd: a `cd` is forgotten with the call. A
//! leader outlives it, reports its exit code and is then ended with all that is left of the group, as at a deadline
//! (H4): what a line leaves in the background does not outlive the call, and commands in the background on purpose are
//! refused by name. One limit is the runner's: a process that left the group (`setsid`) and whose parent is gone can't
//! be told from a stranger, and is left alone.

use super::capture::Capture;
use super::tool::{Call, Input, Tool, failed};
use crate::schema::{Kind, Spec, optional, required};
use crate::surroundings::Surroundings;
use crate::unasked;
use becket_engine::ToolAnswer;
use becket_model::Session;
use becket_process::{
    ByteCap, CancellationToken, Chunk, Command, Control, End, Finished, Limits, Program, Shown, SpawnError,
    Stream,
};
use becket_rules::shell::Line;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
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

/// What the leader runs; `$0` is the mark. It reports on both streams, and waits to be ended. What it would say itself
/// of a line that a signal ended goes nowhere.
const LEADER: &str = r#"exec 3>&2 2>/dev/null
"$@" </dev/null 2>&3 3>&-
set -- "$?"
printf '\n%s %s\n' "$0" "$1"
printf '\n%s %s\n' "$0" "$1" >&3
read -r REPLY"#;

/// Evaluates the environment files, then becomes the line's own shell (H12). A file that exits must not pass for a line
/// that did well.
const WITH_FILES: &str = r#"becket_line=$1
shift
exec 3>&2
trap 'echo "an environment file of a hook ended the shell: the command was not run" >&3; exit 125' EXIT
for becket_file do
  set +eu
  . "$becket_file" </dev/null >/dev/null 2>&1
done
trap - EXIT
exec 3>&-
exec "$0" -c "$becket_line""#;

/// Commands that print nothing where they succeed.
const SILENT: [&str; 13] =
    ["mv", "cp", "rm", "mkdir", "rmdir", "chmod", "chown", "chgrp", "touch", "ln", "cd", "export", "unset"];

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
        input.text("command").is_some_and(|line| unasked::is_read_only(line, host, session))
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
            let mut output = Output::new(call.cancel.child_token());
            match run(call, line, limit, &mut output).await {
                Ok(finished) => output.answer(&finished, limit, line),
                Err(error) => failed(error.to_string()),
            }
        })
    }
}

async fn run(
    call: Call<'_>,
    line: &str,
    limit: Duration,
    output: &mut Output,
) -> Result<Finished, SpawnError> {
    let limits = Limits {
        deadline: Some(limit),
        stdout_cap: ByteCap::bytes(0),
        stderr_cap: ByteCap::bytes(0),
        shown: Shown::All,
        ..Limits::default()
    };
    let command = command(call.host, call.session, line, &output.mark);
    // The leader waits on its stdin, which is open as long as this is held.
    let control = Control::with_open_stdin();
    let (over, held) = (output.over.clone(), control.clone());
    let ended =
        call.host.runner.run_with(&command, &limits, &over, control, &mut |chunk| output.push(chunk)).await;
    drop(held);
    ended
}

fn command(host: &Surroundings, session: &Session, line: &str, mark: &str) -> Command {
    let shell = host.shell.as_os_str();
    let files = (host.env_files)(&session.id);
    // Privileged only so that BASH_ENV is read once, by the line's own shell.
    let mut args: Vec<OsString> =
        vec!["-p".into(), "-c".into(), LEADER.into(), mark.into(), shell.into(), "-c".into()];
    if files.is_empty() {
        args.push(line.into());
    } else {
        args.extend([WITH_FILES.into(), shell.into(), line.into()]);
        args.extend(files.into_iter().map(OsString::from));
    }
    let env = host.environment.vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Command { env, ..Command::new(Program::exec(shell, args), &session.cwd) }
}

/// What a line prints, and the token that ends its group once it has ended.
struct Output {
    mark: String,
    over: CancellationToken,
    stdout: Capture,
    stderr: Capture,
}

impl Output {
    fn new(over: CancellationToken) -> Self {
        // Nobody guesses it: two hashes with keys from the system's random numbers.
        let mark = format!("{:016x}{:016x}", RandomState::new().hash_one(0), RandomState::new().hash_one(1));
        let (stdout, stderr) = (Capture::new(&mark), Capture::new(&mark));
        Self { mark, over, stdout, stderr }
    }

    fn push(&mut self, chunk: Chunk<'_>) {
        match chunk.stream {
            Stream::Stdout => self.stdout.push(chunk.bytes),
            Stream::Stderr => self.stderr.push(chunk.bytes),
        }
        if self.code().is_some() {
            self.over.cancel();
        }
    }

    /// The line's exit code, once both streams have ended.
    fn code(&self) -> Option<i32> {
        self.stdout.code().filter(|code| self.stderr.code() == Some(*code))
    }

    fn answer(self, finished: &Finished, limit: Duration, line: &str) -> ToolAnswer {
        let end = Ended::of(self.code(), finished.end, limit);
        let (stdout, stderr) = (self.stdout.text(), self.stderr.text());
        let response = json!({
            "stdout": stdout,
            "stderr": stderr,
            "interrupted": matches!(end, Ended::Interrupted(_)),
            "isImage": stdout.starts_with("data:image/") && stdout.contains(";base64,"),
            "noOutputExpected": is_silent(line),
        });
        let text = joined(&[&end.words(), &stdout, &stderr]);
        ToolAnswer { text, response, is_error: !matches!(end, Ended::Well) }
    }
}

/// What there is to say, a line each.
fn joined(parts: &[&str]) -> String {
    let said: Vec<&str> = parts.iter().copied().filter(|part| !part.trim().is_empty()).collect();
    if said.is_empty() { "(no output)".to_owned() } else { said.join("\n") }
}

/// How a line ended.
enum Ended {
    Well,
    Code(i32),
    /// By a signal to its whole group, in words.
    Killed(String),
    /// By the deadline or by the host, in words.
    Interrupted(String),
}

impl Ended {
    fn of(code: Option<i32>, end: End, limit: Duration) -> Self {
        match (code, end) {
            (Some(0), _) => Self::Well,
            (Some(code), _) => Self::Code(code),
            (None, End::TimedOut) => {
                Self::Interrupted(format!("Command timed out after {} ms", limit.as_millis()))
            }
            (None, End::Cancelled) => Self::Interrupted("Command was interrupted".to_owned()),
            (None, End::Signaled(signal)) => Self::Killed(format!("Command was ended by signal {signal}")),
            (None, End::Exited(_) | End::Lost) => {
                Self::Killed("Command ended without an exit code".to_owned())
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Well => String::new(),
            Self::Code(code) => format!("Exit code {code}"),
            Self::Killed(words) | Self::Interrupted(words) => words.clone(),
        }
    }
}

/// Whether every command of the line is one that prints nothing where it succeeds.
fn is_silent(line: &str) -> bool {
    let line = Line::parse(line);
    let silent = |command: &becket_rules::shell::Command| {
        command.words().next().flatten().is_some_and(|name| SILENT.contains(&name))
    };
    !line.commands().is_empty() && line.unknowns().next().is_none() && line.commands().iter().all(silent)
}
