//! Positions in a file.
//!
//! INVARIANT: every slice whose position is requested is part of the text; `serde_json` borrows raw values from it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A position in a file, displayed as `file:line:column`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The file, as the caller named it.
    pub file: Arc<Path>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// A text and the file that it comes from.
#[derive(Debug, Clone)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    file: Arc<Path>,
    /// The byte offset of the start of each line: a text of 10,000 servers needs as many positions.
    lines: Vec<usize>,
}

impl<'a> Text<'a> {
    /// Creates a text, without a byte-order mark.
    pub(super) fn new(text: &'a str, file: &Path) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let breaks = text.match_indices('\n').map(|(newline, _)| newline + 1);
        Self { text, file: file.into(), lines: std::iter::once(0).chain(breaks).collect() }
    }

    /// Returns the position of `part`, a slice of the text.
    pub(super) fn start_of(&self, part: &str) -> Place {
        self.at(self.offset_of(part))
    }

    /// Returns the position of the first character that is not blank.
    pub(super) fn start(&self) -> Place {
        self.start_of(self.text.trim_start())
    }

    /// Returns the position of `error`, which occurred when parsing `part`.
    pub(super) fn place_of(&self, part: &str, error: &serde_json::Error) -> Place {
        // For a value of the wrong type, the parser reports its end.
        if error.is_data() && !part.starts_with(['{', '[']) {
            return self.start_of(part);
        }
        let line_start = match error.line() {
            0 | 1 => 0,
            line => part.match_indices('\n').nth(line - 2).map_or(part.len(), |(newline, _)| newline + 1),
        };
        let within = (line_start + error.column().saturating_sub(1)).min(part.len());
        self.at(self.offset_of(part) + within)
    }

    fn offset_of(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    fn at(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= offset);
        let line_start = line.checked_sub(1).and_then(|line| self.lines.get(line)).copied().unwrap_or(0);
        let before = &self.text.as_bytes()[line_start..offset];
        // Continuation bytes of UTF-8 do not begin a character.
        let is_start = |byte: &&u8| **byte & 0xC0 != 0x80;
        Place { file: Arc::clone(&self.file), line, column: before.iter().filter(is_start).count() + 1 }
    }
}

/// Returns the message of an error of `serde_json`, without its position.
pub(super) fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = Text::new("{\n  \"é\": 1}", Path::new("a.json"));
        let part = &text.text[9..];
        assert_eq!(part, " 1}");
        assert_eq!(text.start_of(part).to_string(), "a.json:2:7");
    }

    #[test]
    fn an_error_in_a_part_is_placed_in_the_whole() {
        let text = Text::new("[1,\n [2,\n  x]]", Path::new("a.json"));
        let part = &text.text[5..13];
        let error = serde_json::from_str::<serde_json::Value>(part).unwrap_err();
        assert_eq!(text.place_of(part, &error).to_string(), "a.json:3:3");
        assert_eq!(words(&error), "expected value");
    }
}
