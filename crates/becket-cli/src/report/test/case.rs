//! The result of a case.

use becket_embed::view::hook::SourcePosition;
use becket_engine::Run;
use becket_lab::case::CaseOrigin;
use becket_lab::check::{self, Mismatch};
use becket_lab::runner::{CaseResult, StepRecord};
use becket_lab::{CaseRecord, handler_name};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A case, after its run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CaseReport {
    /// Its name.
    pub(crate) name: String,
    /// The position of its definition.
    pub(crate) at: SourcePosition,
    /// The result.
    pub(crate) result: Outcome,
    /// The reason why it could not be tested.
    pub(crate) error: Option<String>,
    /// The time that it took, in milliseconds.
    pub(crate) elapsed_ms: f64,
    /// Its events.
    pub(crate) steps: Vec<StepReport>,
}

/// The result of a case, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// All expectations were met.
    Passed,
    /// An expectation was not met.
    Failed,
    /// The case could not be tested.
    Error,
}

/// An event of a case.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StepReport {
    /// The event.
    pub(crate) event: &'static str,
    /// The value that matchers were tested against.
    pub(crate) subject: Option<String>,
    /// The decision.
    pub(crate) decision: &'static str,
    /// The time that it took, in milliseconds.
    pub(crate) elapsed_ms: f64,
    /// The expectations that were not met.
    pub(crate) mismatches: Vec<MismatchReport>,
    /// The hooks that ran.
    pub(crate) hooks: Vec<HookRunReport>,
}

/// An expectation that was not met.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MismatchReport {
    /// The key of `want`.
    pub(crate) what: &'static str,
    /// The expected value.
    pub(crate) wanted: String,
    /// The actual value.
    pub(crate) seen: String,
}

/// A run of a hook in a case.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HookRunReport {
    /// Its short name.
    pub(crate) name: String,
    /// The position of its definition.
    pub(crate) at: SourcePosition,
    /// Its decision; `None` if it made none.
    pub(crate) decision: Option<&'static str>,
    /// The reason why it gave no usable answer.
    pub(crate) failure: Option<String>,
    /// Its exit code.
    pub(crate) exit: Option<i32>,
    /// Its stdin.
    pub(crate) stdin: String,
    /// Its stdout.
    pub(crate) stdout: String,
    /// Its stderr.
    pub(crate) stderr: String,
    /// The time that it took, in milliseconds.
    pub(crate) elapsed_ms: f64,
}

impl CaseReport {
    pub(super) fn new(record: &CaseRecord, root: &Path) -> Self {
        let (result, error) = match &record.result {
            CaseResult::Passed => (Outcome::Passed, None),
            CaseResult::Failed(_) => (Outcome::Failed, None),
            CaseResult::Error(error) => (Outcome::Error, Some(error.to_string())),
        };
        CaseReport {
            name: record.case.name.clone(),
            at: position(&record.case.origin),
            result,
            error,
            elapsed_ms: record.elapsed.as_secs_f64() * 1000.0,
            steps: record.steps.iter().map(|step| StepReport::new(step, root)).collect(),
        }
    }

    /// Returns the expectations that were not met.
    pub(crate) fn mismatches(&self) -> impl Iterator<Item = &MismatchReport> {
        self.steps.iter().flat_map(|step| &step.mismatches)
    }
}

impl StepReport {
    fn new(step: &StepRecord, root: &Path) -> Self {
        let copy = &step.event.session.cwd;
        StepReport {
            event: step.event.kind().name(),
            subject: step.event.body.subject().map(str::to_owned),
            decision: check::decided(&step.outcome),
            elapsed_ms: step.elapsed.as_secs_f64() * 1000.0,
            mismatches: step.mismatches.iter().map(MismatchReport::from).collect(),
            hooks: step.outcome.runs.iter().map(|run| HookRunReport::new(run, copy, root)).collect(),
        }
    }
}

impl From<&Mismatch> for MismatchReport {
    fn from(mismatch: &Mismatch) -> Self {
        MismatchReport { what: mismatch.what, wanted: mismatch.wanted.clone(), seen: mismatch.seen.clone() }
    }
}

impl HookRunReport {
    fn new(run: &Run, copy: &Path, root: &Path) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let location = &run.handler.location;
        HookRunReport {
            name: handler_name::short(&run.handler),
            at: SourcePosition {
                file: original(&location.file, copy, root).display().to_string(),
                line: location.line,
                column: location.column,
            },
            decision: check::decided_by(&run.reply),
            failure: run.failure.as_ref().map(ToString::to_string),
            exit: run.exit,
            stdin: run.input.as_deref().map(text).unwrap_or_default(),
            stdout: text(&run.stdout),
            stderr: text(&run.stderr),
            elapsed_ms: run.elapsed.as_secs_f64() * 1000.0,
        }
    }
}

/// Returns the position of a case.
pub(super) fn position(origin: &CaseOrigin) -> SourcePosition {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    SourcePosition {
        file: origin.file.display().to_string(),
        line: number(origin.line),
        column: number(origin.column),
    }
}

/// Returns the project file that a file in the copy was copied from.
pub(crate) fn original(file: &Path, copy: &Path, root: &Path) -> PathBuf {
    file.strip_prefix(copy).map_or_else(|_| file.to_owned(), |inside| root.join(inside))
}
