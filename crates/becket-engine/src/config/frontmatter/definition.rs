//! A file with YAML frontmatter, split into its fields with their places, and the text after them. Agents, skills and
//! commands are read from it; their hooks are read by [`super::parse`].
//!
//! It knows no field and checks no value.

use super::{block, report_unended};
use crate::config::diagnostic::Diagnostic;
use crate::config::source::mend;
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Node};
use becket_model::Source;
use serde_json::Value;
use std::ops::Range;
use std::path::Path;

/// A file with a frontmatter, or without one.
#[derive(Debug)]
pub struct Definition<'t> {
    /// The fields, in order, each key once; none if the frontmatter can't be read.
    pub fields: Vec<Field>,
    /// The text after the frontmatter; all of the text if there is none.
    pub body: &'t str,
    /// The findings; an error if the frontmatter can't be read.
    pub diagnostics: Vec<Diagnostic>,
}

/// A field of the top level.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// Its name.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The line of its value, from 1.
    pub line: u32,
    /// The column of its value in characters, from 1.
    pub column: u32,
    /// The bytes of its value.
    pub span: Range<usize>,
}

/// Splits a text. `file` and `source` are for its findings.
#[must_use]
pub fn definition<'t>(text: &'t str, file: &Path, source: &Source) -> Definition<'t> {
    let mut report = Report::new(file.into(), source.clone(), text);
    let Some((yaml, offset)) = block(text) else {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        report_unended(text, &mut report);
        return Definition { fields: Vec::new(), body, diagnostics: report.finish() };
    };
    let fields = match mend::parse(yaml, offset) {
        Ok(document) => {
            for twice in &document.duplicates {
                let message = format!("`{}` occurs here a second time, and only this one counts", twice.key);
                report.warning(twice.last, "duplicate-key", message).rule("C7");
            }
            fields(&document.root, &mut report)
        }
        Err(error) => {
            let message = format!("the frontmatter is not YAML, so nothing of it is loaded: {}", error.why);
            report.error(error.at, "not-yaml", message).rule("C10");
            Vec::new()
        }
    };
    Definition { fields, body: text_after(text, offset + yaml.len()), diagnostics: report.finish() }
}

fn fields(root: &Node, report: &mut Report<'_>) -> Vec<Field> {
    let Some(members) = root.as_map() else {
        if root.data != Data::Null {
            let message = format!("the frontmatter is {}, not fields with values", root.kind());
            report.error(root.span, "not-fields", message).rule("C10");
        }
        return Vec::new();
    };
    let members = members.iter().map(|member| {
        let place = report.location(member.value.span);
        Field {
            key: member.key.clone(),
            value: member.value.to_json(),
            line: place.line,
            column: place.column,
            span: member.value.span.range(),
        }
    });
    members.collect()
}

/// Returns the text after the line that ends a frontmatter.
fn text_after(text: &str, end: usize) -> &str {
    let rest = text.get(end..).unwrap_or_default();
    rest.split_once('\n').map_or("", |(_, body)| body)
}
