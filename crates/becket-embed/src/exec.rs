//! Programs that a host runs under the rules of a session: what `becket exec` does, with the output in the result.

use crate::session::Session;
use becket_base::find_program;
use becket_base::text::one_line;
use becket_engine::{CancellationToken, Environment};
use becket_rules::shell::quoted_word;
use becket_tools::shell::{ExecError, ProgramOutput, SupervisedProgram};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The name of the supervising program.
const BECKET: &str = "becket";

/// The maximum length of a program in an error, in characters.
const WIDTH: usize = 200;

/// A program to run. It reads nothing from its stdin.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExecRequest {
    /// The name, looked up in `PATH`, or a path.
    pub program: String,
    /// The arguments after the name.
    pub args: Vec<String>,
    /// Its directory, relative to that of the session; absent: the session's.
    pub cwd: Option<PathBuf>,
    /// Variables beside those of the session; null removes one.
    pub env: BTreeMap<String, Option<String>>,
    /// The time after which it is ended, in milliseconds; absent: none.
    pub timeout_ms: Option<u64>,
    /// The most bytes of each of its streams that are kept; absent: 1 MiB.
    pub max_output_bytes: Option<usize>,
    /// The program `becket`, which supervises; absent: the first one in the session's `PATH`.
    pub becket: Option<PathBuf>,
}

/// The end of a program, and what it was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExecReport {
    /// The exit code as a shell reports it. 126 if the program was denied itself.
    pub code: u8,
    /// The beginning of its stdout; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// The beginning of its stderr.
    pub stderr: String,
    /// True if it has printed more than is kept.
    pub is_cut: bool,
    /// The programs that were not run (E3).
    pub denied: Vec<ExecDenial>,
    /// The accesses that rights have refused (E5).
    pub refusals: Vec<ExecRefusal>,
}

/// A program that was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExecDenial {
    /// Its arguments, joined by blanks.
    pub command: String,
    /// The programs that led to it, itself last.
    pub chain: Vec<String>,
    /// The reason.
    pub reason: String,
}

/// Something that rights have refused to a program, which went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExecRefusal {
    /// The arguments of the program, joined by blanks; nothing if it was gone.
    pub command: String,
    /// The programs that led to it, itself last.
    pub chain: Vec<String>,
    /// The right: `read`, `execute`, `write`, `socket` or `connect`.
    pub right: &'static str,
    /// The path, or the host and the port.
    pub target: Option<String>,
    /// The whole in words.
    pub text: String,
}

/// The reason why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotExecuted {
    /// The request can't be satisfied.
    #[error("{0}")]
    Wrong(String),
    /// The supervising program is missing.
    #[error(
        "the program `{BECKET}`, which supervises, is not in the search path: install it, or name it (`becket`)"
    )]
    NoSupervisor,
    /// The program has no exit code.
    #[error(transparent)]
    Exec(#[from] ExecError),
}

impl ExecRequest {
    /// Describes the failure, with the program that it is about.
    #[must_use]
    pub fn describe(&self, why: &NotExecuted) -> String {
        if self.program.is_empty() {
            return why.to_string();
        }
        let words = std::iter::once(&self.program).chain(&self.args).map(|word| quoted_word(word));
        let line = words.collect::<Vec<_>>().join(" ");
        format!("`{}`: {why}", one_line(&line, WIDTH))
    }
}

impl NotExecuted {
    /// Returns the fate of the program in a word: `not_run`, `timed_out`, `cancelled` or `lost`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            NotExecuted::Wrong(_) | NotExecuted::NoSupervisor => "not_run",
            NotExecuted::Exec(
                ExecError::NothingRun { .. } | ExecError::Supervisor { .. } | ExecError::Channel(_),
            ) => "not_run",
            NotExecuted::Exec(ExecError::TimedOut { .. }) => "timed_out",
            NotExecuted::Exec(ExecError::Cancelled) => "cancelled",
            NotExecuted::Exec(_) => "lost",
        }
    }
}

impl Session {
    /// Runs a program, and everything that it starts, to its end under the rules and rights of the session's
    /// configuration. Programs to which an ask rule applies are denied: there is no user to ask. Hooks do not run.
    ///
    /// # Errors
    /// Errors with [`NotExecuted`] if there is no exit code.
    pub async fn exec(
        &self,
        request: &ExecRequest,
        cancel: &CancellationToken,
    ) -> Result<ExecReport, NotExecuted> {
        if request.program.is_empty() {
            return Err(NotExecuted::Wrong("`program` is missing".to_owned()));
        }
        let environment = self.environment();
        let variables = variables(environment, &request.env)?;
        let becket = match &request.becket {
            Some(becket) => self.start().join(becket),
            None => find(environment).ok_or(NotExecuted::NoSupervisor)?,
        };
        let mut program = SupervisedProgram::new(becket, &request.program);
        program.arguments.clone_from(&request.args);
        program.variables = variables;
        program.limit = request.timeout_ms.map(Duration::from_millis);
        program.most_output = request.max_output_bytes.unwrap_or(SupervisedProgram::MOST_OUTPUT);
        let mut session = self.of_events();
        if let Some(cwd) = &request.cwd {
            session.cwd = self.start().join(cwd);
        }
        let _under_way = self.holds_open().await;
        let output = program.run(self.engine(), &session, cancel).await?;
        Ok(report(output))
    }
}

fn report(output: ProgramOutput) -> ExecReport {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    ExecReport {
        code: output.code,
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        is_cut: output.is_cut,
        denied: output
            .denied
            .into_iter()
            .map(|denied| ExecDenial { command: denied.command, chain: denied.chain, reason: denied.reason })
            .collect(),
        refusals: output
            .refusals
            .into_iter()
            .map(|refusal| ExecRefusal {
                right: refusal.right.as_str(),
                command: refusal.command,
                chain: refusal.chain,
                target: refusal.target,
                text: refusal.text,
            })
            .collect(),
    }
}

/// Returns the variables of the program.
fn variables(
    environment: &Environment,
    own: &BTreeMap<String, Option<String>>,
) -> Result<Vec<(OsString, OsString)>, NotExecuted> {
    let mut environment = environment.clone();
    for (name, value) in own {
        if name.is_empty()
            || name.contains(['=', '\0'])
            || value.as_ref().is_some_and(|value| value.contains('\0'))
        {
            return Err(NotExecuted::Wrong(format!("`env`: `{name}` or its value is not valid")));
        }
        environment = match value {
            Some(value) => environment.with_var(name, value),
            None => environment.without_var(name),
        };
    }
    Ok(environment.vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// Finds the supervising program.
fn find(environment: &Environment) -> Option<PathBuf> {
    find_program(BECKET, environment.var("PATH")?)
}
