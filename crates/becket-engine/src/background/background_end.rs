//! The end of a background run, as its runner reports it. [`super::verdict`] interprets it.

use crate::report::handler_result::{cannot_start, exit_of};
use crate::report::outcome::OutputSizes;
use becket_model::Failure;
use becket_process::{FinishedRun, SpawnError};
use bytes::Bytes;
use std::time::Duration;

/// The end of a background run.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackgroundEnd {
    /// The exit code; `None` if there is none, and then `failure` says why.
    pub(crate) exit: Option<i32>,
    /// The reason for a missing exit code: a failed start, a time limit, a cancellation or a signal.
    pub(crate) failure: Option<Failure>,
    /// The output on stdout, up to the cap, including an announcement (A2).
    pub(crate) stdout: Bytes,
    /// The output on stderr, up to the cap.
    pub(crate) stderr: Bytes,
    /// The number of bytes printed.
    pub(crate) printed: OutputSizes,
    /// The running time, without the wait for room.
    pub(crate) elapsed: Duration,
    /// Warnings from the runner for the hook's author.
    pub(crate) warnings: Vec<String>,
}

impl BackgroundEnd {
    /// Converts the result of a command that ran with this limit.
    pub(crate) fn of(command: Result<FinishedRun, SpawnError>, limit: Duration) -> Self {
        let finished = match command {
            Ok(finished) => finished,
            Err(error) => return BackgroundEnd::failed(cannot_start(&error), Duration::ZERO),
        };
        let (exit, failure) = match exit_of(finished.end, limit) {
            Ok(exit) => (Some(exit), None),
            Err(failure) => (None, Some(failure)),
        };
        BackgroundEnd {
            exit,
            failure,
            printed: OutputSizes::of(&finished),
            stdout: finished.stdout.bytes,
            stderr: finished.stderr.bytes,
            elapsed: finished.elapsed,
            warnings: Vec::new(),
        }
    }

    /// Creates the end of a run without an exit code and without output.
    pub(crate) fn failed(failure: Failure, elapsed: Duration) -> Self {
        BackgroundEnd { failure: Some(failure), elapsed, ..BackgroundEnd::default() }
    }
}
