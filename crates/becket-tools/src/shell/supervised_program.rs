//! A program that a host runs itself, with everything that it starts, under the rules and rights in force: the
//! equivalent of `becket exec` for programs that embed the engine (`protocol.md` E1, E5).
//!
//! The supervisor needs a process for itself: `becket supervise`, or a program of the host that calls
//! [`becket_exec::line::supervise`].

#[cfg(target_os = "linux")]
use super::excluded_commands::{ProgramPlaces, exclude};
#[cfg(target_os = "linux")]
use super::leader::LineError;
#[cfg(target_os = "linux")]
use super::line_output::{Keep, LineOutput};
#[cfg(target_os = "linux")]
use super::line_rules::exec_rules;
#[cfg(target_os = "linux")]
use super::supervised::SupervisedLine;
#[cfg(target_os = "linux")]
use crate::programs::{LineCall, ProgramGuard};
use becket_engine::Engine;
#[cfg(target_os = "linux")]
use becket_exec::line::HeldProgram;
use becket_exec::line::{DeniedProgram, Refusal};
use becket_model::Session;
#[cfg(target_os = "linux")]
use becket_process::{ByteCap, Command, Descendants, End, Limits, Program, Runner, SinkLimit, Stream};
use becket_process::{CancellationToken, SpawnError};
#[cfg(target_os = "linux")]
use becket_rules::shell::quoted_word;
#[cfg(target_os = "linux")]
use futures_util::future::BoxFuture;
use std::ffi::OsString;
use std::io;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::time::Duration;

/// A program to run. It reads nothing from its stdin.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SupervisedProgram {
    /// The supervising program and its arguments before `--`: an absolute path of `becket`, and `supervise`.
    pub supervisor: Vec<OsString>,
    /// The name, looked up in `PATH`, or a path.
    pub name: String,
    /// The arguments after the name.
    pub arguments: Vec<String>,
    /// All environment variables of the program.
    pub variables: Vec<(OsString, OsString)>,
    /// The time after which the program is ended.
    pub limit: Option<Duration>,
    /// The maximum number of bytes of each stream that are kept.
    pub most_output: usize,
}

/// The end of a program that was run, and everything that it was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramOutput {
    /// The exit code as a shell reports it: for a signal, 128 plus its number. 126 if the program itself was denied.
    pub code: u8,
    /// The first bytes of stdout.
    pub stdout: Vec<u8>,
    /// The first bytes of stderr.
    pub stderr: Vec<u8>,
    /// True if more was printed than was kept.
    pub is_cut: bool,
    /// The programs that were not run (E3).
    pub denied: Vec<DeniedProgram>,
    /// The accesses that were refused for lack of rights (E5).
    pub refusals: Vec<Refusal>,
}

/// The reason why there is no exit code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// Nothing was run: a rule or a right can't be parsed or enforced on this system, or there is no such program.
    #[error("nothing was run: {why}")]
    NothingRun {
        /// The reason.
        why: String,
    },
    /// The supervisor can't be started.
    #[error("the supervisor `{supervisor}` can't be started: {why}")]
    Supervisor {
        /// The supervising program.
        supervisor: String,
        /// The reason.
        why: SpawnError,
    },
    /// The socket to the supervisor can't be created.
    #[error("the socket for the supervisor can't be created: {0}")]
    Channel(io::Error),
    /// The time limit was reached; the program was ended, with everything that it had started.
    #[error("it was ended, since it took longer than {} ms", limit.as_millis())]
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// The run was cancelled; the program was ended, with everything that it had started.
    #[error("it was cancelled")]
    Cancelled,
    /// The supervisor ended without a result, and everything that it supervised ended with it.
    #[error("the supervisor `{supervisor}` ended without a result: {why}")]
    Lost {
        /// The supervising program.
        supervisor: String,
        /// The output of the supervisor.
        why: String,
    },
}

impl SupervisedProgram {
    /// The default maximum number of bytes of each stream that are kept.
    pub const MOST_OUTPUT: usize = 1 << 20;

    /// Creates a program without arguments, variables and time limit, under the supervisor `becket supervise`.
    pub fn new(becket: impl Into<OsString>, name: impl Into<String>) -> Self {
        Self {
            supervisor: vec![becket.into(), "supervise".into()],
            name: name.into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            limit: None,
            most_output: Self::MOST_OUTPUT,
        }
    }

    /// Runs the program in the directory of a session to its end, its time limit or its cancellation, and ends
    /// everything that it started. Programs that an ask rule pauses are denied: there is nobody to ask.
    ///
    /// # Errors
    /// Returns an [`ExecError`] if there is no exit code.
    #[cfg(not(target_os = "linux"))]
    pub async fn run(
        &self,
        _: &Engine,
        _: &Session,
        _: &CancellationToken,
    ) -> Result<ProgramOutput, ExecError> {
        Err(ExecError::NothingRun { why: "programs can be supervised on Linux only".to_owned() })
    }
}

#[cfg(target_os = "linux")]
impl SupervisedProgram {
    /// Runs the program in the directory of a session to its end, its time limit or its cancellation, and ends
    /// everything that it started. Programs that an ask rule pauses are denied: there is nobody to ask.
    ///
    /// # Errors
    /// Returns an [`ExecError`] if there is no exit code.
    pub async fn run(
        &self,
        engine: &Engine,
        session: &Session,
        cancel: &CancellationToken,
    ) -> Result<ProgramOutput, ExecError> {
        let mut rules = exec_rules(engine, &session.cwd);
        if let Some(why) = rules.refusal {
            return Err(ExecError::NothingRun { why });
        }
        let path = self.variables.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        let search_path: Vec<PathBuf> = path.map(std::env::split_paths).into_iter().flatten().collect();
        exclude(
            &mut rules,
            &self.line(),
            ProgramPlaces { search_path: &search_path, directory: &session.cwd },
        );
        let call = LineCall { session: session.clone(), tool_use_id: String::new(), rights: Vec::new() };
        let supervised = SupervisedLine {
            command: self.command(session)?,
            limits: Limits {
                deadline: self.limit,
                stdout_cap: ByteCap::bytes(0),
                stderr_cap: ByteCap::bytes(0),
                sink: SinkLimit::Unlimited,
                ..Limits::default()
            },
            runner: &Runner::new(),
            guard: &NobodyToAsk,
            call: &call,
            rules,
        };
        let mut output = LineOutput::new(KeptOutput { most: self.most_output, ..KeptOutput::default() });
        let finished = supervised.run(cancel, &mut output).await.map_err(|why| self.not_run(why))?;
        let KeptOutput { stdout, stderr, is_cut, .. } = output.kept;
        let code = finished.code.and_then(|code| u8::try_from(code).ok());
        match (code, finished.end) {
            (_, End::TimedOut) => Err(ExecError::TimedOut { limit: self.limit.unwrap_or_default() }),
            (_, End::Cancelled) => Err(ExecError::Cancelled),
            (Some(code), End::Exited(_)) => {
                let (denied, refusals) = (finished.denied, finished.refusals);
                Ok(ProgramOutput { code, stdout, stderr, is_cut, denied, refusals })
            }
            (_, End::Exited(_) | End::Signaled(_) | End::Lost) => Err(ExecError::Lost {
                supervisor: self.supervisor_name(),
                why: String::from_utf8_lossy(&stderr).trim().to_owned(),
            }),
        }
    }

    /// Returns the program as a command line of a shell.
    fn line(&self) -> String {
        let words = std::iter::once(&self.name).chain(&self.arguments);
        words.map(|word| quoted_word(word)).collect::<Vec<_>>().join(" ")
    }

    fn command(&self, session: &Session) -> Result<Command, ExecError> {
        let Some((program, arguments)) = self.supervisor.split_first() else {
            return Err(ExecError::NothingRun { why: "no supervisor is named".to_owned() });
        };
        let words = std::iter::once(&self.name).chain(&self.arguments).map(OsString::from);
        let arguments: Vec<OsString> = arguments.iter().cloned().chain(["--".into()]).chain(words).collect();
        let descendants = Descendants::Adopted { kept: std::sync::Arc::new([]) };
        let command = Command::new(Program::exec(program, arguments), &session.cwd);
        Ok(Command { env: self.variables.clone(), descendants, ..command })
    }

    fn not_run(&self, why: LineError) -> ExecError {
        match why {
            LineError::Spawn(why) => ExecError::Supervisor { supervisor: self.supervisor_name(), why },
            LineError::Channel(why) => ExecError::Channel(why),
            LineError::Unsupported(why) | LineError::NothingRun { why } => ExecError::NothingRun { why },
        }
    }

    fn supervisor_name(&self) -> String {
        self.supervisor.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The first bytes of both streams.
#[cfg(target_os = "linux")]
#[derive(Debug, Default)]
struct KeptOutput {
    most: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    is_cut: bool,
}

#[cfg(target_os = "linux")]
impl Keep for KeptOutput {
    fn keep(&mut self, stream: Stream, bytes: &[u8]) {
        let kept = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let room = self.most.saturating_sub(kept.len()).min(bytes.len());
        kept.extend_from_slice(&bytes[..room]);
        self.is_cut |= room < bytes.len();
    }
}

/// A guard without hooks and without a user. The rules are those of the program.
#[cfg(target_os = "linux")]
struct NobodyToAsk;

#[cfg(target_os = "linux")]
impl ProgramGuard for NobodyToAsk {
    fn rules(&self, _: &LineCall) -> becket_exec::line::LineRules {
        becket_exec::line::LineRules::default()
    }

    fn approve(&self, _: &LineCall, _: HeldProgram) -> BoxFuture<'static, Result<(), String>> {
        Box::pin(std::future::ready(Err("there is nobody to ask".to_owned())))
    }

    fn denied(&self, _: &LineCall, _: &DeniedProgram) {}

    fn weakened(&self, _: &str) {}
}
