//! Collects the findings about one text: knows its file, its source, and where its lines begin.

use super::lines::Lines;
use super::tree::Span;
use crate::config::diagnostic::{Diagnostic, Severity};
use crate::config::fix::Fix;
use crate::config::handler::Location;
use becket_model::Source;
use std::path::Path;
use std::sync::Arc;

/// The findings about one text, and the context for their messages.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    text: &'a str,
    lines: Lines,
    file: Arc<Path>,
    source: Source,
    found: Vec<Diagnostic>,
    /// The number of unknown keys that were compared with the known ones.
    compared: usize,
    /// The counter for findings that are too many to be listed.
    overflow: Option<Overflow>,
}

/// The findings past [`MOST`]: the latest, their number, and whether one was an error.
#[derive(Debug)]
struct Overflow {
    latest: Diagnostic,
    count: usize,
    error: bool,
}

/// The number of findings that are listed for one file. A file with more is broken as a whole, or hostile.
const MOST: usize = 1000;

/// The number of unknown keys of one file that are compared with the known ones: each comparison takes a while, and not
/// each leads to a finding.
const MOST_COMPARED: usize = 1000;

impl<'a> Report<'a> {
    pub(crate) fn new(file: Arc<Path>, source: Source, text: &'a str) -> Self {
        Report { text, lines: Lines::of(text), file, source, found: Vec::new(), compared: 0, overflow: None }
    }

    /// Reports something that is not loaded.
    pub(crate) fn error(&mut self, at: Span, code: &'static str, message: impl Into<String>) -> Finding<'_> {
        self.add(Severity::Error, at, code, message.into())
    }

    /// Reports something that is loaded and looks wrong.
    pub(crate) fn warning(
        &mut self,
        at: Span,
        code: &'static str,
        message: impl Into<String>,
    ) -> Finding<'_> {
        self.add(Severity::Warning, at, code, message.into())
    }

    /// Reports something that is worth knowing, and not wrong.
    pub(crate) fn note(&mut self, at: Span, code: &'static str, message: impl Into<String>) -> Finding<'_> {
        self.add(Severity::Note, at, code, message.into())
    }

    /// Reports an error if nothing of an entry can work, or a warning if it may.
    pub(crate) fn never_works(
        &mut self,
        is_certain: bool,
        at: Span,
        code: &'static str,
        message: impl Into<String>,
    ) -> Finding<'_> {
        let severity = if is_certain { Severity::Error } else { Severity::Warning };
        self.add(severity, at, code, message.into())
    }

    /// Reports a finding about the file as a whole.
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

    /// Returns the place of a span of the text, as handlers store it.
    pub(crate) fn location(&self, at: Span) -> Location {
        let (line, column) = self.lines.position(self.text, at.start);
        Location { file: self.file.clone(), line, column }
    }

    /// Returns the place of a part of a string: of its first occurrence in the text of the JSON string at `at`, or `at`
    /// itself if the part does not occur there literally.
    pub(crate) fn part_of(&self, at: Span, text: &str, part: &str) -> Span {
        let Some(start) = text.find(part).filter(|_| !part.is_empty()) else { return at };
        let source = self.text.get(at.range()).unwrap_or_default();
        let offsets = string_offsets(source);
        let place = |offset: usize| {
            offsets.as_ref().and_then(|offsets| offsets.get(offset)).map(|place| at.start + place)
        };
        match (place(start), place(start + part.len())) {
            (Some(start), Some(end)) => Span::new(start, end),
            (Some(_) | None, _) => at,
        }
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the message of the latest error, for an entry that is not loaded.
    pub(crate) fn latest_error(&self) -> String {
        let overflow = self.overflow.iter().map(|overflow| &overflow.latest);
        let error = overflow.chain(self.found.iter().rev()).find(|found| found.is_error());
        error.map(|error| error.message.clone()).unwrap_or_default()
    }

    /// Returns whether no more findings are listed, so that suggestions are not needed.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= MOST
    }

    /// Counts the comparison of an unknown key with the known ones; returns false once there are too many.
    pub(crate) fn may_compare(&mut self) -> bool {
        self.compared += 1;
        self.compared <= MOST_COMPARED
    }

    /// Returns the findings by place.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|finding| finding.span.start);
        if let Some(overflow) = self.overflow.take() {
            let severity = if overflow.error { Severity::Error } else { Severity::Warning };
            let message = format!("{} more findings about this file are not listed", overflow.count);
            let rest = self.diagnostic(severity, Span::default(), "too-many-findings", message);
            self.found.push(Diagnostic { line: 0, column: 0, ..rest });
        }
        self.found
    }

    fn diagnostic(&self, severity: Severity, at: Span, code: &'static str, message: String) -> Diagnostic {
        let (line, column) = self.lines.position(self.text, at.start);
        Diagnostic::new(severity, code, message, self.file.clone(), self.source.clone()).at(
            line,
            column,
            at.range(),
        )
    }

    fn add(&mut self, severity: Severity, at: Span, code: &'static str, message: String) -> Finding<'_> {
        let latest = self.diagnostic(severity, at, code, message);
        if !self.is_full() {
            self.found.push(latest);
            let last = self.found.len() - 1;
            return Finding(&mut self.found[last]);
        }
        let before = self.overflow.take();
        let count = before.as_ref().map_or(0, |before| before.count) + 1;
        let error = latest.is_error() || before.is_some_and(|before| before.error);
        Finding(&mut self.overflow.insert(Overflow { latest, count, error }).latest)
    }
}

/// The finding that was just added, to be completed.
#[derive(Debug)]
pub(crate) struct Finding<'r>(&'r mut Diagnostic);

impl Finding<'_> {
    /// Adds a way to fix it.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Adds a way to fix it, if one is known.
    pub(crate) fn maybe_help(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Adds the change that removes it.
    pub(crate) fn fix(self, fix: impl Into<Option<Fix>>) -> Self {
        self.0.fix = fix.into();
        self
    }

    /// Sets the rule behind it.
    pub(crate) fn rule(self, rule: &'static str) -> Self {
        self.0.rule = Some(rule);
        self
    }
}

/// Returns, for each byte of the text of a JSON string and for its end, the offset in its source.
fn string_offsets(source: &str) -> Option<Vec<usize>> {
    let body = source.strip_prefix('"')?.strip_suffix('"')?;
    let mut offsets = Vec::with_capacity(body.len());
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        let length = match c {
            '\\' => match chars.next()?.1 {
                // Surrogates are rare enough in commands to give up on them.
                'u' => {
                    let digits = body.get(at + 2..at + 6)?;
                    chars.nth(3)?;
                    char::from_u32(u32::from_str_radix(digits, 16).ok()?)?.len_utf8()
                }
                _ => 1,
            },
            c => c.len_utf8(),
        };
        offsets.extend(std::iter::repeat_n(at + 1, length));
    }
    offsets.push(body.len() + 1);
    Some(offsets)
}

#[cfg(test)]
mod tests {
    use super::string_offsets;

    #[test]
    fn offsets_follow_escapes() {
        let source = r#""a\"b\u00e9c\n""#;
        let offsets = string_offsets(source).unwrap_or_default();
        // a, ", b, é (two bytes), c, newline, end
        assert_eq!(offsets, [1, 2, 4, 5, 5, 11, 12, 14]);
        assert_eq!(string_offsets("plain"), None);
        assert_eq!(string_offsets(r#""\ud83d\ude00""#), None);
    }
}
