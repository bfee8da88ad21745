//! A finding about a plugin that depends on the disk: kept with its text until the configuration is resolved.

use crate::config::diagnostic::{Diagnostic, Severity};
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use becket_model::Source;
use std::path::Path;
use std::sync::Arc;

/// A span of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spot {
    pub(crate) source: Source,
    pub(crate) file: Arc<Path>,
    /// The text of the file; empty if the finding is about the file as a whole.
    pub(crate) text: Arc<str>,
    pub(crate) span: Span,
}

impl Spot {
    /// Creates the spot of a file or directory as a whole.
    pub(crate) fn whole(source: Source, file: &Path) -> Self {
        Spot { source, file: file.into(), text: "".into(), span: Span::default() }
    }
}

/// A problem, or a possible one, with a plugin or with an entry that names it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    at: Spot,
    severity: Severity,
    code: &'static str,
    message: String,
    help: Option<String>,
    rule: &'static str,
}

impl Fault {
    /// Creates the fault of something that was not loaded.
    pub(crate) fn error(at: Spot, code: &'static str, message: impl Into<String>) -> Self {
        Fault { at, severity: Severity::Error, code, message: message.into(), help: None, rule: "C9" }
    }

    /// Creates the fault of something that is loaded, but perhaps not as it was meant.
    pub(crate) fn warning(at: Spot, code: &'static str, message: impl Into<String>) -> Self {
        Fault { severity: Severity::Warning, ..Fault::error(at, code, message) }
    }

    /// Returns whether it is about the content of the plugin that is this source, and not about other plugins as well.
    pub(crate) fn is_about_content_of(&self, source: &Source) -> bool {
        self.at.source == *source && self.code != "plugin-name-twice"
    }

    /// Adds a way to fix it.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets another rule than C9.
    pub(crate) fn rule(mut self, rule: &'static str) -> Self {
        self.rule = rule;
        self
    }

    /// Returns the findings for the report of a configuration.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut report = Report::new(self.at.file.clone(), self.at.source.clone(), &self.at.text);
        let message = self.message.clone();
        let finding = match (self.severity, self.at.text.is_empty()) {
            (severity, true) => report.about_file(severity, self.code, message),
            (Severity::Error, false) => report.error(self.at.span, self.code, message),
            (Severity::Note, false) => report.note(self.at.span, self.code, message),
            (Severity::Warning, false) => report.warning(self.at.span, self.code, message),
        };
        finding.maybe_help(self.help.clone()).rule(self.rule);
        report.finish()
    }
}
