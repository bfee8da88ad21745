//! The findings of a configuration, as `check` shows them.

use super::hook::At;
use becket_engine::config::Diagnostic;
use schemars::JsonSchema;
use serde::Serialize;

/// All findings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    /// How many files were read.
    pub files: usize,
    /// How many errors there are: things that were not loaded.
    pub errors: usize,
    /// How many warnings there are.
    pub warnings: usize,
    /// What was found, by file and place.
    pub findings: Vec<Finding>,
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// A stable name in kebab-case.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Where.
    pub at: At,
    /// The same in bytes of the file.
    pub span: Span,
    /// Whose file it is.
    pub source: String,
    /// The rule of the protocol behind it.
    pub rule: Option<&'static str>,
}

/// A range of bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Span {
    /// The first byte, from 0.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Checked {
    /// Counts and converts.
    pub fn new<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>, files: usize) -> Self {
        let findings: Vec<Finding> = diagnostics.into_iter().map(Finding::from).collect();
        let errors = findings.iter().filter(|finding| finding.is_error()).count();
        Checked { files, errors, warnings: findings.len() - errors, findings }
    }
}

impl Finding {
    /// Whether something was left out because of it.
    pub fn is_error(&self) -> bool {
        self.severity == "error"
    }
}

impl From<&Diagnostic> for Finding {
    fn from(diagnostic: &Diagnostic) -> Self {
        Finding {
            severity: if diagnostic.is_error() { "error" } else { "warning" },
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            at: At {
                file: diagnostic.file.display().to_string(),
                line: diagnostic.line,
                column: diagnostic.column,
            },
            span: Span { start: diagnostic.span.start, end: diagnostic.span.end },
            source: diagnostic.source.to_string(),
            rule: diagnostic.rule,
        }
    }
}
