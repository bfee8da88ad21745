//! Findings in a configuration: one value for each, with its place in the text.
//!
//! It renders nothing: a host or the CLI shows it. INVARIANT: a [`Diagnostic`] with [`Severity::Error`] means that
//! something was not loaded, was read as something stricter than written, or, among the findings of [`super::lint`],
//! can never do its work; a warning means that everything works as written, but perhaps not as meant.

use super::fix::Fix;
use becket_model::Source;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Something was not loaded (C7), was read as another value than the one written, or never works.
    Error,
    /// Loaded, but probably not what was meant.
    Warning,
    /// Worth knowing; nothing is wrong.
    Note,
}

impl Severity {
    /// Returns the word that reports print for this severity.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// An error if anything was left out because of it.
    pub severity: Severity,
    /// A stable name in kebab-case, such as `unknown-event`.
    pub code: &'static str,
    /// The message, lowercase, without a final dot.
    pub message: String,
    /// The file, or a name in angle brackets for a text that is not in a file.
    pub file: Arc<Path>,
    /// The line, from 1; 0 if the finding is about the whole file.
    pub line: u32,
    /// The column in characters, from 1; 0 if the finding is about the whole file.
    pub column: u32,
    /// The byte range in the file that it is about.
    pub span: Range<usize>,
    /// A way to fix it, if one is known.
    pub help: Option<String>,
    /// The source that the file belongs to.
    pub source: Source,
    /// The rule of the protocol behind it.
    pub rule: Option<&'static str>,
    /// The change that removes it, if there is a mechanical one.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// Returns a finding about a whole file.
    pub fn new(
        severity: Severity,
        code: &'static str,
        message: String,
        file: Arc<Path>,
        source: Source,
    ) -> Self {
        Diagnostic {
            severity,
            code,
            message,
            file,
            line: 0,
            column: 0,
            span: 0..0,
            help: None,
            source,
            rule: None,
            fix: None,
        }
    }

    /// Sets the place in the file, with line and column from 1.
    #[must_use]
    pub fn at(self, line: u32, column: u32, span: Range<usize>) -> Self {
        Diagnostic { line, column, span, ..self }
    }

    /// Sets the rule of the protocol behind it.
    #[must_use]
    pub fn with_rule(self, rule: &'static str) -> Self {
        Diagnostic { rule: Some(rule), ..self }
    }

    /// Returns whether something was left out, or never works, because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": {}: {} [{}]", self.severity, self.message, self.code)?;
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}
