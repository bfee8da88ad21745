//! The findings of a configuration, as `check` shows them.

use super::hook::At;
use becket_engine::config::Diagnostic;
use schemars::JsonSchema;
use serde::Serialize;

/// All findings.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Checked {
    /// How many files were read.
    pub(crate) files: usize,
    /// How many errors there are: things that were not loaded.
    pub(crate) errors: usize,
    /// How many warnings there are.
    pub(crate) warnings: usize,
    /// What was found, by file and place.
    pub(crate) findings: Vec<Finding>,
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Finding {
    /// `error` or `warning`.
    pub(crate) severity: &'static str,
    /// A stable name in kebab-case.
    pub(crate) code: &'static str,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) help: Option<String>,
    /// Where.
    pub(crate) at: At,
    /// The same in bytes of the file.
    pub(crate) span: Span,
    /// Whose file it is.
    pub(crate) source: String,
    /// The rule of the protocol behind it.
    pub(crate) rule: Option<&'static str>,
}

/// A range of bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Span {
    /// The first byte, from 0.
    pub(crate) start: usize,
    /// The byte after the last.
    pub(crate) end: usize,
}

impl Checked {
    /// Counts and converts.
    pub(crate) fn new<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>, files: usize) -> Self {
        let findings: Vec<Finding> = diagnostics.into_iter().map(Finding::from).collect();
        let errors = findings.iter().filter(|finding| finding.is_error()).count();
        Checked { files, errors, warnings: findings.len() - errors, findings }
    }
}

impl Finding {
    /// Whether something was left out because of it.
    pub(crate) fn is_error(&self) -> bool {
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
