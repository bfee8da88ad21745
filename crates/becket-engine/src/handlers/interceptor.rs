//! An interceptor of runs: a layer between the engine and the processes of its handlers, for tests of hooks.
//!
//! It sees the runs of all handlers that leave the process (commands, requests, models). A replaced run starts nothing;
//! its end is read as that of a command, whatever the kind of the handler, and goes through the same interpretation and
//! the same fold as a real one.

use crate::config::handler::Handler;
use becket_model::{Event, Failure};
use becket_process::{CapturedOutput, End, FinishedRun, SpawnError};
use bytes::Bytes;
use std::ffi::OsString;
use std::time::Duration;

/// A run that is about to start, or that has ended.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct InterceptedRun<'a> {
    /// The handler.
    pub handler: &'a Handler,
    /// The event, as its hooks see it.
    pub event: &'a Event,
    /// The text for its stdin.
    pub input: &'a Bytes,
}

/// The end of a run, before it is interpreted.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// A process ended.
    Ended {
        /// The way in which it ended.
        end: End,
        /// Its stdout.
        stdout: CapturedOutput,
        /// Its stderr.
        stderr: CapturedOutput,
    },
    /// No process ran, or none that could answer.
    Failed(Failure),
}

impl RunEnd {
    /// Creates the end of a process that exited with this code.
    pub fn exited(code: i32, stdout: impl Into<Bytes>, stderr: impl Into<Bytes>) -> Self {
        let captured = |bytes: Bytes| CapturedOutput { total: bytes.len() as u64, bytes };
        RunEnd::Ended {
            end: End::Exited(code),
            stdout: captured(stdout.into()),
            stderr: captured(stderr.into()),
        }
    }
}

/// Replaces and observes the runs of handlers, and changes their inputs.
pub trait RunInterceptor: Send + Sync {
    /// Returns the end that replaces the run, or `None` to let it start.
    fn replace(&self, run: InterceptedRun<'_>) -> Option<RunEnd> {
        let _ = run;
        None
    }

    /// Returns another text for the stdin of a command, or `None` for the input of the event.
    fn stdin(&self, run: InterceptedRun<'_>) -> Option<Bytes> {
        let _ = run;
        None
    }

    /// Returns variables for a command, in addition to its own; they win.
    fn variables(&self, run: InterceptedRun<'_>) -> Vec<(OsString, OsString)> {
        let _ = run;
        Vec::new()
    }

    /// Receives the end of a command that the event waited for, and returns the one that counts.
    fn ended(&self, run: InterceptedRun<'_>, end: RunEnd) -> RunEnd {
        let _ = run;
        end
    }
}

impl RunEnd {
    /// Converts the end of a process; `why` names the failure of one that did not start.
    pub(crate) fn of(
        result: &Result<FinishedRun, SpawnError>,
        why: impl FnOnce(&SpawnError) -> Failure,
    ) -> Self {
        match result {
            Ok(finished) => RunEnd::Ended {
                end: finished.end,
                stdout: finished.stdout.clone(),
                stderr: finished.stderr.clone(),
            },
            Err(error) => RunEnd::Failed(why(error)),
        }
    }

    /// Converts it to the end of a process, or to a failure.
    pub(crate) fn finished(self) -> Result<FinishedRun, Failure> {
        match self {
            RunEnd::Ended { end, stdout, stderr } => {
                Ok(FinishedRun { end, stdout, stderr, elapsed: Duration::ZERO, pipes_held: false })
            }
            RunEnd::Failed(failure) => Err(failure),
        }
    }
}
