//! Decisions about the programs that a line executes, and the supervisor that enforces them (`protocol.md` E1–E4).

use becket_engine::RunningCall;
use becket_exec::line::{DeniedProgram, HeldProgram, LineRules, Refusal};
use becket_model::{Rights, Session};
use futures_util::future::BoxFuture;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Decides about the programs that the lines of a session execute.
pub trait ProgramGuard: Send + Sync {
    /// Returns the rules and rights in force for a call. If there are none, its line runs without a supervisor.
    fn rules(&self, call: &LineCall) -> LineRules;

    /// Decides about a program that an ask rule or the condition of a hook pauses; the error is the reason for a
    /// refusal. The future is dropped with its line.
    fn approve(&self, call: &LineCall, held: HeldProgram) -> BoxFuture<'static, Result<(), String>>;

    /// Receives a program that was not run.
    fn denied(&self, call: &LineCall, program: &DeniedProgram);

    /// Receives an access that was refused for lack of rights, once for each path and host (E5).
    fn refused(&self, call: &LineCall, refusal: &Refusal) {
        let _ = (call, refusal);
    }

    /// Receives a weakness of this system that lets a program race the rules.
    fn weakened(&self, what: &str);
}

/// The call that a line belongs to.
#[derive(Debug, Clone)]
pub struct LineCall {
    /// The session, in its state when the call began.
    pub session: Session,
    /// The id of the call.
    pub tool_use_id: String,
    /// The rights that hooks leave to the call, one entry for each hook, with paths as written (E5).
    pub rights: Vec<Rights>,
}

impl LineCall {
    /// Returns the call that runs the tool.
    #[must_use]
    pub fn of(running: &RunningCall<'_>) -> Self {
        Self {
            session: running.session.clone(),
            tool_use_id: running.id.to_owned(),
            rights: running.rights.to_vec(),
        }
    }
}

/// The guard of a host, and the program with which it supervises a line.
#[derive(Clone)]
pub struct ProgramSupervision {
    /// The absolute path of the program that calls [`becket_exec::line::supervise`].
    pub program: PathBuf,
    /// The arguments in front of `--` and the line's own program.
    pub arguments: Vec<OsString>,
    /// The guard.
    pub guard: Arc<dyn ProgramGuard>,
}

impl fmt::Debug for ProgramSupervision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramSupervision").field("program", &self.program).finish_non_exhaustive()
    }
}
