//! An open document, and the positions of editors in it.

use std::ops::Range;
use tower_lsp_server::ls_types::{self as lsp, Position};

/// The text of a document in the editor.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) text: String,
    pub(super) version: i32,
    /// The offsets of the lines.
    lines: Vec<usize>,
}

impl Document {
    pub(super) fn new(text: String, version: i32) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        Document { text, version, lines }
    }

    /// Returns the byte offset of a position, whose column counts UTF-16 units; the end of the line if the column is
    /// beyond it.
    pub(super) fn offset(&self, position: Position) -> usize {
        let nth = position.line as usize;
        let Some(start) = self.lines.get(nth).copied() else { return self.text.len() };
        let end = self.lines.get(nth + 1).map_or(self.text.len(), |next| next - 1);
        let line = self.text[start..end].trim_end_matches('\r');
        let mut left = position.character as usize;
        for (at, character) in line.char_indices() {
            if left < character.len_utf16() {
                return start + at;
            }
            left -= character.len_utf16();
        }
        start + line.len()
    }

    /// Returns the range of these bytes.
    pub(super) fn range(&self, bytes: &Range<usize>) -> lsp::Range {
        lsp::Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let units = self.text[self.lines[line]..offset].encode_utf16().count();
        Position { line: number(line), character: number(units) }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::Document;
    use tower_lsp_server::ls_types::Position;

    #[test]
    fn positions_count_utf_16_units() {
        let document = Document::new("a\r\nü𝄞x\n".to_owned(), 0);
        for (line, character, offset) in
            [(0, 0, 0), (0, 9, 1), (1, 0, 3), (1, 1, 5), (1, 3, 9), (1, 4, 10), (2, 0, 11)]
        {
            assert_eq!(document.offset(Position { line, character }), offset, "{line}:{character}");
            if character < 9 {
                let range = document.range(&(offset..offset));
                assert_eq!((range.start.line, range.start.character), (line, character));
            }
        }
        assert_eq!(document.offset(Position { line: 1, character: 2 }), 5, "inside of a pair");
        assert_eq!(document.offset(Position { line: 9, character: 0 }), 11);
    }
}
