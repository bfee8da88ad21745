//! The layout of a text: line breaks, indentation, and the text between the tokens of JSON.

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};
use std::ops::Range;

/// Returns the line break that a text uses.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    }
}

/// Returns the blanks with which the line at a position begins.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns true if only blanks precede the position on its line.
pub(super) fn is_first_on_line(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    text[start..at].trim_matches([' ', '\t']).is_empty()
}

/// Returns a value written over several lines.
pub(super) fn rendered(value: &Value, unit: &str, base: &str, line_break: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    // Writing to memory can't fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    String::from_utf8_lossy(&bytes).replace('\n', &format!("{line_break}{base}"))
}

/// The comments and the comma in a part of JSON that contains no value.
#[derive(Debug, Default)]
pub(super) struct Gap {
    /// The comments.
    pub(super) comments: Vec<Range<usize>>,
    /// The position of the comma.
    pub(super) comma: Option<usize>,
}

impl Gap {
    /// Reads the part of a text that is known to be JSON.
    pub(super) fn read(text: &str, range: Range<usize>) -> Self {
        let mut gap = Gap::default();
        let mut at = range.start;
        while at < range.end {
            let rest = &text[at..range.end];
            let length = if rest.starts_with("//") {
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                if rest.starts_with(',') {
                    gap.comma = Some(at);
                }
                rest.chars().next().map_or(1, char::len_utf8)
            };
            if rest.starts_with('/') {
                gap.comments.push(at..at + length);
            }
            at += length;
        }
        gap
    }

    /// Returns the end of the last comment or comma, or `start` if there is none. A line break belongs to the comment
    /// that it ends.
    pub(super) fn end_of_kept(&self, text: &str, start: usize) -> usize {
        let comment = self.comments.last().map_or(start, |comment| {
            let rest = &text[comment.end..];
            let is_open = text[comment.clone()].starts_with("//");
            let broken = ["\r\n", "\n", "\r"].into_iter().find(|broken| rest.starts_with(broken));
            comment.end + broken.filter(|_| is_open).map_or(0, str::len)
        });
        self.comma.map_or(comment, |comma| comment.max(comma + 1))
    }

    /// Returns the end of the comments that follow `start` on its line, or `start`.
    pub(super) fn end_on_line(&self, text: &str, start: usize) -> usize {
        let mut end = start;
        for comment in self.comments.iter().filter(|comment| comment.start >= start) {
            if text[end..comment.end].contains('\n') {
                break;
            }
            end = comment.end;
        }
        end
    }
}
