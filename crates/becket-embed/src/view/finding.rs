//! The findings of a configuration, as `check` shows them.

use super::hook::SourcePosition;
use becket_engine::config::{Diagnostic, Severity};
use schemars::JsonSchema;
use serde::Serialize;

/// All findings.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckReport {
    /// The number of files that were read.
    pub files: usize,
    /// The number of errors: entries that were not loaded, or never work.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
    /// The number of notes, which are information and not problems.
    pub notes: usize,
    /// The findings, by file and position.
    pub findings: Vec<Finding>,
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// A stable name in kebab-case.
    pub code: &'static str,
    /// The problem.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
    /// The position.
    pub at: SourcePosition,
    /// The position in bytes of the file.
    pub span: Span,
    /// The origin of the file.
    pub source: String,
    /// The rule of the protocol behind it.
    pub rule: Option<&'static str>,
    /// The change that `check --fix` makes, if it is a mechanical one.
    pub fix: Option<FixView>,
}

/// A change that removes a finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FixView {
    /// `safe`, or `unsafe` if it may change what runs.
    pub safety: &'static str,
    /// The change in words.
    pub title: String,
}

/// A range of bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Span {
    /// The first byte, from 0.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl CheckReport {
    /// Converts and counts diagnostics.
    pub fn new<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>, files: usize) -> Self {
        let findings: Vec<Finding> = diagnostics.into_iter().map(Finding::from).collect();
        let count = |severity: Severity| {
            findings.iter().filter(|finding| finding.severity == severity.as_str()).count()
        };
        let (errors, warnings, notes) =
            (count(Severity::Error), count(Severity::Warning), count(Severity::Note));
        CheckReport { files, errors, warnings, notes, findings }
    }
}

impl Finding {
    /// Returns true if something was left out, or never works, because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error.as_str()
    }
}

impl From<&Diagnostic> for Finding {
    fn from(diagnostic: &Diagnostic) -> Self {
        Finding {
            severity: diagnostic.severity.as_str(),
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            at: SourcePosition {
                file: diagnostic.file.display().to_string(),
                line: diagnostic.line,
                column: diagnostic.column,
            },
            span: Span { start: diagnostic.span.start, end: diagnostic.span.end },
            source: diagnostic.source.to_string(),
            rule: diagnostic.rule,
            fix: diagnostic
                .fix
                .as_ref()
                .map(|fix| FixView { safety: fix.safety.as_str(), title: fix.title.clone() }),
        }
    }
}
