//! Records the state of a background run: `state.json` in the directory that `CLAUDE_JOB_DIR` names, for the program
//! that started the run and for programs that list jobs.
//!
//! It is written at the start, when a turn begins or waits for a permission, at each turn's end and at the end of the
//! run: as a whole, readable only by its owner, and never through a link. If it can't be written, the run warns once
//! and continues.
//!
//! INVARIANT: a nested run that has inherited the variable does not write the file.

use super::printer::Printer;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::report::run::SessionEvent;
use becket_agent::Agent;
use becket_agent::tool_call::{AskPermission, PermissionAnswer, PermissionPrompt};
use becket_agent::transcript;
use becket_agent::update::{Notice, Origin, Update, UpdateKind};
use becket_base::private_file::{self, Replacement};
use becket_engine::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// The variable that names the directory.
const DIRECTORY: &str = "CLAUDE_JOB_DIR";
/// The name of the file.
const FILE: &str = "state.json";
/// The limit on the characters of a text in the file.
const TEXT: usize = 2_000;
/// The limit on the size of an existing file that is read, in bytes.
const READ: u64 = 64 << 10;

/// The state of a run, if it is recorded.
#[derive(Clone, Default)]
pub(super) struct Job(Option<Arc<Mutex<State>>>);

/// The status of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
enum JobStatus {
    /// A turn is running, or the session is starting.
    Working,
    /// The session waits for a prompt.
    Idle,
    /// A call waits for a permission.
    Blocked {
        /// The called tool.
        tool: String,
    },
    /// The run has ended, and its last result is not an error.
    Done,
    /// The run has ended otherwise.
    Failed {
        /// The reason for the failure.
        why: String,
    },
}

impl JobStatus {
    /// Returns the status word in the file.
    fn name(&self) -> &'static str {
        match self {
            JobStatus::Working => "working",
            JobStatus::Idle => "idle",
            JobStatus::Blocked { .. } => "blocked",
            JobStatus::Done => "done",
            JobStatus::Failed { .. } => "failed",
        }
    }

    fn detail(&self) -> Option<String> {
        match self {
            JobStatus::Working | JobStatus::Idle | JobStatus::Done => None,
            JobStatus::Blocked { tool } => Some(format!("waits for permission to use {tool}")),
            JobStatus::Failed { why } => Some(why.clone()),
        }
    }
}

struct State {
    file: PathBuf,
    printer: Printer,
    cwd: PathBuf,
    created: SystemTime,
    status: JobStatus,
    agent: Option<Agent>,
    /// The last known facts about the session.
    session: Value,
    intent: Option<String>,
    output: Option<String>,
    has_warned: bool,
    /// The number of calls that wait for a permission.
    waiting: usize,
}

impl Job {
    /// Returns the job of this run, and writes its state; an empty one if the environment names no directory, or
    /// another live run writes there.
    pub(super) fn of(around: &Surroundings, start: &Path, printer: &Printer) -> Self {
        let Some(directory) = around.var(DIRECTORY).filter(|directory| !directory.is_empty()) else {
            return Job::default();
        };
        let file = start.join(directory).join(FILE);
        if is_anothers(&file) {
            return Job::default();
        }
        let state = State {
            file,
            printer: printer.clone(),
            cwd: start.to_owned(),
            created: SystemTime::now(),
            status: JobStatus::Working,
            agent: None,
            session: Value::Null,
            intent: None,
            output: None,
            has_warned: false,
            waiting: 0,
        };
        let job = Job(Some(Arc::new(Mutex::new(state))));
        job.change(|_| {});
        job
    }

    /// Records that the session is open.
    pub(super) fn opened(&self, agent: &Agent) {
        self.change(|state| {
            state.agent = Some(agent.clone());
            state.status = JobStatus::Idle;
        });
    }

    /// Records that a turn begins with this prompt.
    pub(super) fn works(&self, prompt: &str) {
        self.change(|state| {
            state.intent.get_or_insert_with(|| cut(prompt));
            state.status = JobStatus::Working;
        });
    }

    /// Records that a turn has ended with this text.
    pub(super) fn rests(&self, output: &str) {
        self.change(|state| {
            state.output = Some(cut(output));
            state.status = JobStatus::Idle;
        });
    }

    /// Records that the session is closed, and releases it.
    pub(super) fn closed(&self) {
        if let Some(mut state) = self.state() {
            state.session = state.described();
            state.agent = None;
        }
    }

    /// Records that the run has ended with this exit code.
    pub(super) fn ended(&self, done: &Result<u8, CliError>) {
        self.change(|state| {
            state.status = match done {
                Ok(0) => JobStatus::Done,
                Ok(code) => JobStatus::Failed { why: format!("exit code {code}") },
                Err(error) => JobStatus::Failed { why: cut(&error.to_string()) },
            };
        });
    }

    /// Wraps the user so that the state records pending prompts.
    pub(super) fn waits_for(&self, person: Arc<dyn AskPermission>) -> Arc<dyn AskPermission> {
        match self.0 {
            Some(_) => Arc::new(TrackedApprover { job: self.clone(), person }),
            None => person,
        }
    }

    fn state(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.0.as_ref()?;
        Some(state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        if let Some(mut state) = self.state() {
            change(&mut state);
            state.write();
        }
    }
}

impl State {
    fn write(&mut self) {
        let text = format!("{:#}\n", self.as_json());
        let Err(why) = written(&self.file, &text) else { return };
        if !std::mem::replace(&mut self.has_warned, true) {
            let text = format!("the state of the job can't be written to `{}`: {why}", self.file.display());
            let what = UpdateKind::Notice(Notice::warning(text));
            self.printer.show(SessionEvent::Update(Box::new(Update { of: Origin::Main, what })));
        }
    }

    fn as_json(&self) -> Value {
        let mut state = json!({
            "state": self.status.name(),
            "detail": self.status.detail(),
            "pid": std::process::id(),
            "intent": self.intent,
            "output": self.output,
            "createdAt": transcript::timestamp(self.created),
            "updatedAt": transcript::timestamp(SystemTime::now()),
        });
        let session = match &self.agent {
            Some(_) => self.described(),
            None => self.session.clone(),
        };
        let fields = ["sessionId", "transcriptPath", "name"];
        fields.into_iter().for_each(|field| state[field] = session[field].clone());
        state["cwd"] = session.get("cwd").cloned().unwrap_or_else(|| json!(self.cwd));
        state
    }

    fn described(&self) -> Value {
        let Some(agent) = &self.agent else { return self.session.clone() };
        let info = agent.info();
        json!({
            "sessionId": info.id,
            "transcriptPath": info.transcript_path,
            "name": info.title,
            "cwd": info.cwd,
        })
    }
}

/// A user, and the state that records when a call waits for them.
struct TrackedApprover {
    job: Job,
    person: Arc<dyn AskPermission>,
}

/// A waiting call, until it is dropped.
struct PendingCall<'a>(&'a Job);

impl<'a> PendingCall<'a> {
    fn begin(job: &'a Job, tool: &str) -> Self {
        job.change(|state| {
            state.waiting += 1;
            state.status = JobStatus::Blocked { tool: tool.to_owned() };
        });
        PendingCall(job)
    }
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        self.0.change(|state| {
            state.waiting = state.waiting.saturating_sub(1);
            if state.waiting == 0 {
                state.status = JobStatus::Working;
            }
        });
    }
}

impl AskPermission for TrackedApprover {
    fn patience(&self) -> Duration {
        self.person.patience()
    }

    fn ask<'a>(
        &'a self,
        prompt: &'a PermissionPrompt,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, PermissionAnswer> {
        Box::pin(async move {
            let _waiting = PendingCall::begin(&self.job, &prompt.tool);
            self.person.ask(prompt, cancel).await
        })
    }
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT).collect()
}

/// Returns true if the file belongs to another live process whose run has not ended: the one that started this nested
/// run.
fn is_anothers(file: &Path) -> bool {
    let Ok(file) = private_file::options().read(true).open(file) else { return false };
    let mut text = String::new();
    if file.take(READ).read_to_string(&mut text).is_err() {
        return false;
    }
    let Ok(state) = serde_json::from_str::<Value>(&text) else { return false };
    let has_ended = matches!(state["state"].as_str(), Some("done" | "failed" | "stopped"));
    let pid = state["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok());
    let is_own = pid.is_some_and(|pid| u32::try_from(pid) == Ok(std::process::id()));
    !has_ended && !is_own && pid.is_some_and(is_alive)
}

#[cfg(unix)]
fn is_alive(pid: i32) -> bool {
    rustix::process::Pid::from_raw(pid)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(_: i32) -> bool {
    false
}

/// Replaces the content of the file. A link there is replaced, not followed.
fn written(file: &Path, text: &str) -> io::Result<()> {
    let name = format!(".{FILE}.{}.tmp", std::process::id());
    let mut new = Replacement::create(file.with_file_name(name), &private_file::options())?;
    new.file().write_all(text.as_bytes())?;
    new.commit(file)
}
