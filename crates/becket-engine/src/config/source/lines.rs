//! Converts a byte of a text to its line and column.

/// Marks in a text, close enough together that a position is found in constant time, even in one endless line.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    marks: Vec<Mark>,
}

/// A byte whose line and column are known; both from 0.
#[derive(Debug, Clone, Copy)]
struct Mark {
    byte: usize,
    line: usize,
    column: usize,
}

/// The number of characters between two marks.
const APART: usize = 256;

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let mut at = Mark { byte: 0, line: 0, column: 0 };
        let mut marks = vec![at];
        if text.is_ascii() {
            return Lines { marks: of_ascii(text) };
        }
        for (byte, c) in text.char_indices() {
            let next = byte + c.len_utf8();
            at = match c {
                '\n' => Mark { byte: next, line: at.line + 1, column: 0 },
                // A byte-order mark takes no column.
                '\u{feff}' if byte == 0 => Mark { byte: next, ..at },
                _ => Mark { byte: next, column: at.column + 1, ..at },
            };
            if at.column.is_multiple_of(APART) {
                marks.push(at);
            }
        }
        Lines { marks }
    }

    /// Returns the line and column of a byte, both from 1, the column in characters.
    pub(crate) fn position(&self, text: &str, byte: usize) -> (u32, u32) {
        let byte = byte.min(text.len());
        let after = self.marks.partition_point(|mark| mark.byte <= byte);
        let mark =
            self.marks.get(after.saturating_sub(1)).copied().unwrap_or(Mark { byte: 0, line: 0, column: 0 });
        let column = mark.column + text.get(mark.byte..byte).unwrap_or_default().chars().count();
        (small(mark.line + 1), small(column + 1))
    }
}

/// Returns the same marks of a text in which every byte is a character.
fn of_ascii(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut start = 0;
    for (line, content) in text.split('\n').enumerate() {
        let columns = (0..=content.len()).step_by(APART);
        marks.extend(columns.map(|column| Mark { byte: start + column, line, column }));
        start += content.len() + 1;
    }
    marks
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn positions_count_lines_and_characters() {
        let text = format!("\u{feff}a\né{}x\n", "ü".repeat(1000));
        let lines = Lines::of(&text);
        for (what, expected) in [("a", (1, 1)), ("é", (2, 1)), ("x", (2, 1002))] {
            assert_eq!(lines.position(&text, text.find(what).unwrap()), expected, "{what}");
        }
        assert_eq!(lines.position(&text, text.len() + 9), (3, 1));
        let ascii = format!("a\n\nbc{}x\n", "y".repeat(1022));
        let same = Lines::of(&format!("{ascii}é"));
        for byte in 0..=ascii.len() {
            assert_eq!(Lines::of(&ascii).position(&ascii, byte), same.position(&format!("{ascii}é"), byte));
        }
        assert_eq!(Lines::of("").position("", 0), (1, 1));
    }
}
