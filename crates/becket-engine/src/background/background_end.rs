//! The end of a background run, as its runner saw it. [`super::verdict`] interprets it.

use crate::report::handler_result::{cannot_start, exit_of};
use crate::report::outcome::OutputSizes;
use becket_model::Failure;
use becket_process::{FinishedRun, SpawnError};
use bytes::Bytes;
use std::time::Duration;

/// The end of a background run.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackgroundEnd {
    /// Its exit code; `None` where it had none, then `failure` says why.
    pub(crate) exit: Option<i32>,
    /// The reason for a missing exit code: it could not start, ran out of time, was cancelled, a signal.
    pub(crate) failure: Option<Failure>,
    /// All that it printed, up to the cap; an announcement (A2) included.
    pub(crate) stdout: Bytes,
    /// All that it printed to stderr, up to the cap.
    pub(crate) stderr: Bytes,
    /// The number of bytes that it printed.
    pub(crate) printed: OutputSizes,
    /// The time that it ran; a wait for room does not count.
    pub(crate) elapsed: Duration,
    /// Warnings of its runner for the hook's author.
    pub(crate) warnings: Vec<String>,
}

impl BackgroundEnd {
    /// Converts the end of a command that had this limit.
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
