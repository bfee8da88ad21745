//! Collects the findings about one text: knows the file, whose it is, and where its lines begin.

use super::lines::Lines;
use super::tree::Span;
use crate::config::diagnostic::{Diagnostic, Severity};
use crate::handler::Location;
use becket_model::Source;
use std::path::Path;
use std::sync::Arc;

/// The findings about one text, and what is needed to word them.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    text: &'a str,
    lines: Lines,
    file: Arc<Path>,
    source: Source,
    found: Vec<Diagnostic>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(file: Arc<Path>, source: Source, text: &'a str) -> Self {
        Report { text, lines: Lines::of(text), file, source, found: Vec::new() }
    }

    /// Something that is not loaded.
    pub(crate) fn error(&mut self, at: Span, code: &'static str, message: impl Into<String>) -> Finding<'_> {
        self.add(Severity::Error, at, code, message.into())
    }

    /// Something that is loaded and looks wrong.
    pub(crate) fn warning(
        &mut self,
        at: Span,
        code: &'static str,
        message: impl Into<String>,
    ) -> Finding<'_> {
        self.add(Severity::Warning, at, code, message.into())
    }

    /// Something about the file as a whole.
    pub(crate) fn about_file(
        &mut self,
        severity: Severity,
        code: &'static str,
        message: impl Into<String>,
    ) -> Finding<'_> {
        let finding = self.add(severity, Span::default(), code, message.into());
        (finding.0.line, finding.0.column) = (0, 0);
        finding
    }

    /// The place of a stretch of the text, as a handler carries it.
    pub(crate) fn location(&self, at: Span) -> Location {
        let (line, column) = self.lines.position(self.text, at.start);
        Location { file: self.file.clone(), line, column }
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// The text of the latest error, for what is listed as not loaded.
    pub(crate) fn latest_error(&self) -> String {
        let error = self.found.iter().rev().find(|found| found.is_error());
        error.map(|error| error.message.clone()).unwrap_or_default()
    }

    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        self.found
    }

    fn add(&mut self, severity: Severity, at: Span, code: &'static str, message: String) -> Finding<'_> {
        let (line, column) = self.lines.position(self.text, at.start);
        self.found.push(Diagnostic {
            severity,
            code,
            message,
            file: self.file.clone(),
            line,
            column,
            span: at.range(),
            help: None,
            source: self.source.clone(),
            rule: None,
        });
        let last = self.found.len() - 1;
        Finding(&mut self.found[last])
    }
}

/// The finding that was just added, to be completed.
#[derive(Debug)]
pub(crate) struct Finding<'r>(&'r mut Diagnostic);

impl Finding<'_> {
    /// What to do.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// What to do, where that is known.
    pub(crate) fn maybe_help(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// The rule behind it.
    pub(crate) fn rule(self, rule: &'static str) -> Self {
        self.0.rule = Some(rule);
        self
    }
}
