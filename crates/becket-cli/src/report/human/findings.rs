//! `check` for people: each finding with its source lines.

use super::frame;
use crate::env::Surroundings;
use crate::report::style::{ERROR, GOOD, NONE, WARNING, plain, styled};
use becket_base::text::visible_in_place;
use becket_embed::view::finding::CheckReport;
use becket_engine::config::{self, Diagnostic};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Severity};
use std::collections::HashMap;
use std::path::Path;

/// The texts of the checked files, as made printable by [`visible`].
pub(crate) type Texts = HashMap<String, String>;

/// Returns the findings in full, followed by a line that counts them.
pub(crate) fn render(found: &[Diagnostic], texts: &Texts, around: &Surroundings) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode())
        .with_width(around.width.unwrap_or(100).min(120))
        .without_syntax_highlighting();
    let width = around.width.unwrap_or(WIDTH_OF_PIPES);
    let mut text = String::new();
    for group in groups(found) {
        let mut finding = String::new();
        write_finding(&mut finding, &handler, group.first, texts, around);
        text.push_str(&frame::fitted(&finding, width));
        text.push_str(&group.others());
        text.push('\n');
    }
    text
}

/// The width to which source lines are cut if the output is not a terminal.
const WIDTH_OF_PIPES: usize = 140;

/// Findings of one file with the same text.
struct FindingGroup<'d> {
    first: &'d Diagnostic,
    other_lines: Vec<u32>,
}

/// Returns the findings grouped by text, in the order of the first of each group.
fn groups(found: &[Diagnostic]) -> Vec<FindingGroup<'_>> {
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    for diagnostic in found {
        let key =
            (&diagnostic.file, diagnostic.code, diagnostic.severity, &diagnostic.message, &diagnostic.help);
        match known.get(&key).and_then(|at| groups.get_mut(*at)) {
            Some(group) => group.other_lines.push(diagnostic.line),
            None => {
                known.insert(key, groups.len());
                groups.push(FindingGroup { first: diagnostic, other_lines: Vec::new() });
            }
        }
    }
    groups
}

impl FindingGroup<'_> {
    /// Returns the line with the positions of the other findings, or nothing if there are none.
    fn others(&self) -> String {
        /// The maximum number of lines that are named.
        const NAMED: usize = 10;
        if self.other_lines.is_empty() {
            return String::new();
        }
        let named: Vec<String> = self.other_lines.iter().take(NAMED).map(u32::to_string).collect();
        let rest = if self.other_lines.len() > NAMED { ", …" } else { "" };
        let lines = if self.other_lines.len() == 1 { "line" } else { "lines" };
        format!("  and {} more: {lines} {}{rest}\n", self.other_lines.len(), named.join(", "))
    }
}

fn write_finding(
    text: &mut String,
    handler: &GraphicalReportHandler,
    diagnostic: &Diagnostic,
    texts: &Texts,
    around: &Surroundings,
) {
    let severity = match diagnostic.severity {
        config::Severity::Error => Severity::Error,
        config::Severity::Warning => Severity::Warning,
        config::Severity::Note => Severity::Advice,
    };
    let mut shown =
        MietteDiagnostic::new(plain(&diagnostic.message)).with_code(diagnostic.code).with_severity(severity);
    if let Some(help) = &diagnostic.help {
        shown = shown.with_help(plain(help));
    }
    let name = around.short(&diagnostic.file);
    let source = texts.get(&*diagnostic.file.to_string_lossy()).filter(|_| diagnostic.line > 0);
    if source.is_some() {
        shown = shown.with_label(LabeledSpan::underline(diagnostic.span.clone()));
    } else {
        shown.message = format!("{}: {}", plain(&name), shown.message);
    }
    let text_of_file = source.cloned().unwrap_or_default();
    let report = miette::Report::new(shown).with_source_code(NamedSource::new(plain(&name), text_of_file));
    // A finding that can't be rendered is still reported.
    if handler.render_report(text, report.as_ref()).is_err() {
        text.push_str(&format!("{}\n", plain(&diagnostic.to_string())));
    }
}

/// Returns the text with every secret masked and every character replaced that could move the cursor or hide others: it
/// keeps its length, so that spans remain valid, and contains no password (S3).
pub(crate) fn visible(text: &str) -> String {
    visible_in_place(&super::masked::masked(text))
}

/// Returns the last line, with the numbers of findings and files.
pub(crate) fn summary(checked: &CheckReport) -> String {
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let files = count(checked.files, "file");
    let found: Vec<String> = [
        (ERROR, checked.errors, "error"),
        (WARNING, checked.warnings, "warning"),
        (NONE, checked.notes, "note"),
    ]
    .into_iter()
    .filter(|(_, number, _)| *number > 0)
    .map(|(style, number, what)| styled(style, &count(number, what)))
    .collect();
    match found.as_slice() {
        [] => format!("{} in {files}\n", styled(GOOD, "nothing wrong")),
        found => format!("{} in {files}\n", found.join(", ")),
    }
}

/// Returns [`brief`] without colour, for an agent.
pub(crate) fn brief_text<'a>(errors: impl Iterator<Item = &'a Diagnostic>, around: &Surroundings) -> String {
    anstream::adapter::strip_str(&brief(errors, around)).to_string()
}

/// Returns one line for each error, for commands that continue without the broken parts (C7).
pub(crate) fn brief<'a>(errors: impl Iterator<Item = &'a Diagnostic>, around: &Surroundings) -> String {
    let mut text = String::new();
    for error in errors {
        let file = around.short(Path::new(&*error.file));
        let place = if error.line == 0 { file } else { format!("{file}:{}:{}", error.line, error.column) };
        text.push_str(&format!(
            "{} {}\n",
            styled(WARNING, if error.is_error() { "not loaded:" } else { "warning:" }),
            plain(&format!("{place}: {}", error.message))
        ));
    }
    text
}
