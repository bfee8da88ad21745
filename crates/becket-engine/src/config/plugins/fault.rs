//! A finding about a plugin that only the disk can tell: kept with its text until the configuration is resolved.

use crate::config::diagnostic::{Diagnostic, Severity};
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use becket_model::Source;
use std::path::Path;
use std::sync::Arc;

/// A stretch of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spot {
    pub(crate) source: Source,
    pub(crate) file: Arc<Path>,
    /// The text of the file; empty where the finding is about the file as a whole.
    pub(crate) text: Arc<str>,
    pub(crate) span: Span,
}

impl Spot {
    /// A file or directory as a whole.
    pub(crate) fn whole(source: Source, file: &Path) -> Self {
        Spot { source, file: file.into(), text: "".into(), span: Span::default() }
    }
}

/// Something that is wrong, or looks wrong, with a plugin or with what names it.
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
    /// Something was not loaded.
    pub(crate) fn error(at: Spot, code: &'static str, message: impl Into<String>) -> Self {
        Fault { at, severity: Severity::Error, code, message: message.into(), help: None, rule: "C9" }
    }

    /// Everything is loaded, but perhaps not as it was meant.
    pub(crate) fn warning(at: Spot, code: &'static str, message: impl Into<String>) -> Self {
        Fault { severity: Severity::Warning, ..Fault::error(at, code, message) }
    }

    /// Adds the way out.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names another rule than C9.
    pub(crate) fn rule(mut self, rule: &'static str) -> Self {
        self.rule = rule;
        self
    }

    /// The finding as a configuration reports it.
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
