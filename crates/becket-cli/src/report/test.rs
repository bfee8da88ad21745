//! The result of `becket test` as plain data, which `becket schema test-report` describes.

mod case;
mod mutant;

pub(crate) use case::{CaseReport, HookRunReport, MismatchReport, Outcome};
pub(crate) use mutant::{CoverageReport, MutantOutcome, MutantRow, coverage, mutants};

use becket_embed::view::hook::SourcePosition;
use becket_lab::{CaseRecord, Suite};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// The result of `becket test`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TestReport {
    /// The seed of the order, if it was random.
    pub(crate) seed: Option<u64>,
    /// The cases that were run, in order.
    pub(crate) cases: Vec<CaseReport>,
    /// Errors in case files and comments.
    pub(crate) errors: Vec<FileError>,
    /// The coverage of each hook.
    pub(crate) coverage: Vec<CoverageReport>,
    /// The mutants of each hook, if they were tested.
    pub(crate) mutants: Option<Vec<MutantRow>>,
}

/// An error in a file of cases.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileError {
    /// The position.
    pub(crate) at: SourcePosition,
    /// The error.
    pub(crate) what: String,
}

impl TestReport {
    /// Creates the report from the records of a suite's cases; `root` is that of the project.
    pub(crate) fn new(suite: &Suite, records: &[CaseRecord], root: &Path) -> Self {
        let of_file = |error: &becket_lab::case_file::CaseFileError| FileError {
            at: case::position(&error.origin),
            what: error.what.clone(),
        };
        let changed = suite.changed_files().into_iter().map(|file| FileError {
            at: SourcePosition { file: file.display().to_string(), line: 0, column: 0 },
            what: "a hook has changed this case file while it was tested; its cases prove nothing".to_owned(),
        });
        TestReport {
            seed: None,
            cases: records.iter().map(|record| CaseReport::new(record, root)).collect(),
            errors: suite.errors.iter().map(of_file).chain(changed).collect(),
            coverage: Vec::new(),
            mutants: None,
        }
    }

    /// Returns the number of cases with this outcome.
    pub(crate) fn count(&self, outcome: Outcome) -> usize {
        self.cases.iter().filter(|case| case.result == outcome).count()
    }

    /// Returns the number of mutants with this outcome.
    pub(crate) fn count_mutants(&self, outcome: MutantOutcome) -> usize {
        self.mutants.iter().flatten().filter(|row| row.result == outcome).count()
    }

    /// Returns the exit code: 2 if something could not be tested, 1 if something is not as expected.
    pub(crate) fn exit_code(&self) -> u8 {
        let mut mutants = self.mutants.iter().flatten();
        if !self.errors.is_empty() || self.count(Outcome::Error) > 0 {
            2
        } else if self.count(Outcome::Failed) > 0 || mutants.any(|row| row.result.is_bad()) {
            1
        } else {
            0
        }
    }
}
