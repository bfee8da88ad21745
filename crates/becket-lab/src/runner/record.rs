//! The record of a case: plan, runs and results. Reports, coverage and mutation read it.

use crate::case::Case;
use crate::check::Mismatch;
use crate::handler_key::HandlerKey;
use crate::handler_name::UnresolvedName;
use crate::project::{ProjectError, ThrowAwayProject};
use becket_engine::{Outcome, RunEnd};
use becket_model::Event;
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;

/// One run of a handler.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RecordedRun {
    /// The handler.
    pub handler: HandlerKey,
    /// The input on its stdin.
    pub input: Bytes,
    /// The end of its process.
    pub end: RunEnd,
}

/// One event of a case, fired.
#[derive(Debug)]
#[non_exhaustive]
pub struct StepRecord {
    /// The event.
    pub event: Event,
    /// The outcome, with plan and runs.
    pub outcome: Outcome,
    /// The time from the event to its verdict.
    pub elapsed: Duration,
    /// The expectations that were not met.
    pub mismatches: Vec<Mismatch>,
}

/// A case, run.
#[derive(Debug)]
pub struct CaseRecord {
    /// The case.
    pub case: Arc<Case>,
    /// Its result.
    pub result: CaseResult,
    /// Its events; fewer than in the case if it could not be run to its end.
    pub steps: Vec<StepRecord>,
    /// The runs of processes, in the order of their ends.
    pub runs: Arc<Vec<RecordedRun>>,
    /// The time that it took, with the throw-away project.
    pub elapsed: Duration,
    /// Set if files of the throw-away project changed: a replayed answer can't replace a run then.
    pub changes_files: bool,
    /// The throw-away project, for further runs.
    pub(crate) project: Option<ThrowAwayProject>,
}

impl CaseRecord {
    pub(crate) fn new(case: Arc<Case>) -> Self {
        CaseRecord {
            case,
            result: CaseResult::Error(CaseError::Cancelled),
            steps: Vec::new(),
            runs: Arc::default(),
            elapsed: Duration::ZERO,
            changes_files: true,
            project: None,
        }
    }

    /// Removes the throw-away project.
    pub fn without_project(mut self) -> Self {
        self.project = None;
        self
    }
}

/// The result of a case.
#[derive(Debug)]
pub enum CaseResult {
    /// All expectations were met.
    Passed,
    /// An expectation was not met.
    Failed(Vec<Mismatch>),
    /// The case could not be tested.
    Error(CaseError),
}

impl CaseResult {
    /// Returns whether everything was as expected.
    pub const fn is_passed(&self) -> bool {
        matches!(self, CaseResult::Passed)
    }
}

/// The reason why a case could not be tested.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// No hook runs, and no rule decides.
    #[error("no hook runs for `{event}`{}{}", of_subject(.subject), listed(.why))]
    SelectsNothing {
        /// The event of the first step.
        event: &'static str,
        /// The value that matchers were tested against.
        subject: Option<String>,
        /// The reason for each hook of the event.
        why: Vec<String>,
    },
    /// No step expects anything.
    #[error("it expects nothing, so it tests nothing: give it `want`; `--accept` writes what was seen")]
    ExpectsNothing,
    /// A hook would use the network.
    #[error(
        "the {kind} hook `{label}` needs the network, which a test does not use: give its answer in the case, as in \
         `reply = [{{ handler = \"{label}\", stdout = \"…\" }}]`"
    )]
    NeedsNetwork {
        /// The kind of handler.
        kind: &'static str,
        /// Its label.
        label: String,
    },
    /// A reply is for a handler that does not exist.
    #[error("the case gives a reply for `{handler}`, but no hook is called that")]
    UnknownReply {
        /// The name.
        handler: String,
    },
    /// A name in the case does not identify exactly one handler.
    #[error(transparent)]
    Name(#[from] UnresolvedName),
    /// The input does not fit the event.
    #[error("the input does not fit `{event}`: {why}; `becket events {event}` shows the fields")]
    Input {
        /// The event.
        event: &'static str,
        /// The reason.
        why: String,
    },
    /// There is no throw-away project.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// No session starts with the configuration.
    #[error("{why}")]
    Start {
        /// The reason.
        why: String,
    },
    /// The run was cancelled first.
    #[error("it was cancelled before it ended")]
    Cancelled,
}

fn of_subject(subject: &Option<String>) -> String {
    subject.as_ref().map(|subject| format!(" of `{subject}`")).unwrap_or_default()
}

fn listed(why: &[String]) -> String {
    match why {
        [] => ", for which no hook is configured".to_owned(),
        why => format!(":\n{}", why.iter().map(|line| format!("  {line}\n")).collect::<String>().trim_end()),
    }
}
