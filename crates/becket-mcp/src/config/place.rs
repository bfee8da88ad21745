//! Where in a file something stands.
//!
//! INVARIANT: every slice that is asked about lies within the text; `serde_json` borrows raw values from it.

use std::fmt;
use std::path::{Path, PathBuf};

/// A place in a file. Shown as `file:line:column`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as the caller named it.
    pub file: PathBuf,
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

/// A text and the file it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a Path,
}

impl Text<'_> {
    /// Where `part`, a slice of the text, begins.
    pub(super) fn start_of(&self, part: &str) -> Place {
        self.at(self.offset_of(part))
    }

    /// Where `error`, which came of reading `part`, was met.
    pub(super) fn place_of(&self, part: &str, error: &serde_json::Error) -> Place {
        // Of a value that is of another kind than it has to be, the parser names the end.
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
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        // Continuation bytes of UTF-8 begin no character.
        let is_start = |byte: &&u8| **byte & 0xC0 != 0x80;
        Place {
            file: self.file.to_owned(),
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: before[line_start..].iter().filter(is_start).count() + 1,
        }
    }
}

/// The words of an error of `serde_json`, without the position it appends.
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
        let text = Text { text: "{\n  \"é\": 1}", file: Path::new("a.json") };
        let part = &text.text[9..];
        assert_eq!(part, " 1}");
        assert_eq!(text.start_of(part).to_string(), "a.json:2:7");
    }

    #[test]
    fn an_error_in_a_part_is_placed_in_the_whole() {
        let text = Text { text: "[1,\n [2,\n  x]]", file: Path::new("a.json") };
        let part = &text.text[5..13];
        let error = serde_json::from_str::<serde_json::Value>(part).unwrap_err();
        assert_eq!(text.place_of(part, &error).to_string(), "a.json:3:3");
        assert_eq!(words(&error), "expected value");
    }
}
