//! Styled text in columns of a terminal: its width, cutting, and wrapping between words.
//!
//! Escape sequences take no columns. INVARIANT: each returned line ends the styles that it began.

use anstyle::Reset;
use becket_base::text::visible as plain;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The maximum indentation of a continuation row, in columns.
const DEEPEST: usize = 12;
/// The distance between tab stops, in columns.
const TAB: usize = 8;

/// Returns the width of a styled text, in columns.
pub(crate) fn columns(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

/// Returns a text without control characters, with `indent` blanks in front of each line, not wrapped yet.
pub(crate) fn block(text: &str, indent: usize) -> String {
    plain(text.trim_end()).lines().map(|line| format!("{:indent$}{line}\n", "")).collect()
}

/// Cuts a styled text to a width, with an ellipsis for omitted text.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut row = Row::new(String::new(), 0);
    for piece in pieces(text) {
        if let Piece::Char(c) = piece
            && row.columns + c.width().unwrap_or(0) > width.saturating_sub(1)
        {
            break;
        }
        row.push(piece);
    }
    format!("{}…{Reset}", row.text)
}

/// Returns a styled text with no line wider than `width`; unchanged without a limit. See [`wrapped`].
pub(crate) fn fit(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let wrap = |line: &str| match line.strip_suffix('\n') {
        Some(line) => wrapped(line, width).join("\n") + "\n",
        None => wrapped(line, width).join("\n"),
    };
    text.split_inclusive('\n').map(wrap).collect()
}

/// Wraps a styled line between words, or inside a word that is wider than the line. Continuation rows begin at the text
/// of the line: after its indentation and its list mark.
pub(crate) fn wrapped(line: &str, width: usize) -> Vec<String> {
    if !line.contains('\t') && columns(line) <= width {
        return vec![line.to_owned()];
    }
    let plain = anstream::adapter::strip_str(line).to_string();
    let text = plain.trim_start_matches(' ');
    let blanks = plain.len() - text.len();
    let indent = blanks.min(DEEPEST).min(width / 2);
    let hang = if indent + mark(text) > width / 2 { indent } else { indent + mark(text) };
    if line.starts_with(' ') && indent < blanks {
        return rows(&format!("{:indent$}{}", "", line.trim_start_matches(' ')), width, hang);
    }
    rows(line, width, hang)
}

/// Wraps a styled text that begins in column `indent` of a line, and continues below its own beginning.
pub(crate) fn hanging(text: &str, indent: usize, width: usize) -> String {
    let line = format!("{:indent$}{text}", "");
    rows(&line, width, indent).join("\n")[indent..].to_owned()
}

/// Wraps a styled line like [`wrapped`]; continuation rows are indented by `hang` blanks.
pub(crate) fn rows(line: &str, width: usize, hang: usize) -> Vec<String> {
    let width = width.max(2);
    let hang = hang.min(width - 2);
    let mut wrap = Wrap { rows: Vec::new(), row: Row::new(String::new(), 0), hang, width };
    for piece in pieces(line) {
        wrap.push(piece);
    }
    // Blanks after the last word do not form a row.
    if wrap.rows.is_empty() || wrap.row.columns > hang {
        wrap.rows.push(wrap.row.text);
    }
    wrap.rows
}

/// Returns the width of the mark at the beginning of a list item.
fn mark(plain: &str) -> usize {
    let number = plain.chars().take_while(char::is_ascii_digit).count();
    let is_item = (1..=3).contains(&number) && plain[number..].starts_with(". ");
    let mark = ["• ", "│ ", "- ", "+ ", "❯ "].iter().find(|mark| plain.starts_with(**mark));
    if is_item { number + 2 } else { mark.map_or(0, |mark| mark.width()) }
}

/// One piece of a styled text.
#[derive(Clone, Copy)]
pub(super) enum Piece<'t> {
    Char(char),
    Sequence(&'t str),
}

/// Splits a text into characters and escape sequences.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let c = rest.chars().next()?;
        let end = match c {
            '\u{1b}' => rest.find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |at| at + 1),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(if c == '\u{1b}' { Piece::Sequence(piece) } else { Piece::Char(c) })
    })
}

/// A row under construction.
struct Row {
    text: String,
    columns: usize,
    /// The styles that are in force at the end of the row.
    styles: String,
    /// The last gap between words: the bytes and columns before and after the blank, and the styles there.
    gap: Option<Gap>,
}

struct Gap {
    before: usize,
    behind: usize,
    columns_behind: usize,
    styles: String,
}

impl Row {
    fn new(text: String, columns: usize) -> Self {
        Row { text, columns, styles: String::new(), gap: None }
    }

    fn push(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Char(c) => {
                self.text.push(c);
                self.columns += c.width().unwrap_or(0);
            }
            Piece::Sequence(sequence) => {
                self.text.push_str(sequence);
                match sequence {
                    "\u{1b}[0m" | "\u{1b}[m" => self.styles.clear(),
                    style => self.styles.push_str(style),
                }
            }
        }
    }
}

struct Wrap {
    rows: Vec<String>,
    row: Row,
    hang: usize,
    width: usize,
}

impl Wrap {
    fn push(&mut self, piece: Piece<'_>) {
        let Piece::Char(c) = piece else { return self.row.push(piece) };
        if c == '\t' {
            let blanks = TAB - self.row.columns % TAB;
            return (0..blanks).for_each(|_| self.push(Piece::Char(' ')));
        }
        if self.row.columns + c.width().unwrap_or(0) > self.width {
            if c == ' ' {
                // The blank that does not fit is replaced by the line break.
                self.row.gap = None;
                return self.break_row();
            }
            self.break_row();
        }
        let before = self.row.text.len();
        self.row.push(piece);
        if c == ' ' && self.row.columns > self.hang + 1 {
            self.row.gap = Some(Gap {
                before,
                behind: self.row.text.len(),
                columns_behind: self.row.columns,
                styles: self.row.styles.clone(),
            });
        }
    }

    /// Begins a new row, with the word that no longer fits.
    fn break_row(&mut self) {
        let blanks = " ".repeat(self.hang);
        let done = std::mem::replace(&mut self.row, Row::new(blanks, self.hang));
        let (mut text, word, columns, styles) = match done.gap {
            Some(gap) => {
                let word = done.text[gap.behind..].to_owned();
                let text = done.text[..gap.before].to_owned();
                (text, word, done.columns - gap.columns_behind, gap.styles)
            }
            None => (done.text, String::new(), 0, done.styles.clone()),
        };
        if !styles.is_empty() {
            text.push_str("\u{1b}[0m");
        }
        self.rows.push(text);
        self.row.text.push_str(&styles);
        self.row.text.push_str(&word);
        self.row.columns += columns;
        self.row.styles = done.styles;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::style::{HEAD, styled};

    fn words(rows: &[String]) -> Vec<String> {
        rows.iter().map(|row| anstream::adapter::strip_str(row).to_string()).collect()
    }

    #[test]
    fn lines_break_between_words_and_hang_behind_their_mark() {
        for (line, width, expected) in [
            ("one two three", 20, &["one two three"][..]),
            ("one two three", 10, &["one two", "three"]),
            ("one two threefourfive", 10, &["one two", "threefourf", "ive"]),
            ("  one two three", 11, &["  one two", "  three"]),
            ("• one two three", 10, &["• one two", "  three"]),
            ("12. one two three", 12, &["12. one two", "    three"]),
            ("aaaaaaaaaa bbb", 10, &["aaaaaaaaaa", "bbb"]),
            ("日本語日本語", 10, &["日本語日本", "語"]),
            ("a\tb", 40, &["a       b"]),
            ("", 10, &[""]),
            ("          deep indentation", 12, &["      deep", "      indent", "      ation"]),
        ] {
            assert_eq!(words(&wrapped(line, width)), expected, "{line:?} {width}");
        }
    }

    #[test]
    fn a_row_is_never_wider_than_the_terminal_and_no_character_is_lost() {
        let line = format!("  {} and {}", styled(HEAD, "many bold words here"), "x".repeat(50));
        for width in 10..60 {
            let rows = wrapped(&line, width);
            assert!(rows.iter().all(|row| columns(row) <= width), "{width}: {rows:?}");
            let kept: String = words(&rows).concat().split_whitespace().collect();
            let all: String = words(std::slice::from_ref(&line)).concat().split_whitespace().collect();
            assert_eq!(kept, all, "{width}");
        }
    }

    #[test]
    fn styles_end_with_their_row_and_begin_again_on_the_next() {
        let rows = wrapped(&styled(HEAD, "one two three"), 10);
        assert_eq!(rows, ["\u{1b}[1mone two\u{1b}[0m", "\u{1b}[1mthree\u{1b}[0m"]);
    }

    #[test]
    fn styles_take_no_columns_and_end_with_a_cut() {
        assert_eq!(columns("\u{1b}[1mab\u{1b}[0m"), 2);
        assert_eq!(cut("\u{1b}[1mab\u{1b}[0m", 2), "\u{1b}[1mab\u{1b}[0m");
        assert_eq!(cut("\u{1b}[1mabcd\u{1b}[0m", 3), "\u{1b}[1mab…\u{1b}[0m");
        assert_eq!(cut("日本語", 5), "日本…\u{1b}[0m");
    }

    #[test]
    fn lines_are_broken_between_words_and_keep_their_indent() {
        assert_eq!(
            fit("one two three\n  four five six\n", Some(9)),
            "one two\nthree\n  four\n  five\n  six\n"
        );
        assert_eq!(fit("one two three", None), "one two three");
        assert_eq!(fit("a  b\n", Some(40)), "a  b\n");
        assert_eq!(fit("  abcdefghijkl mn", Some(8)), "  abcdef\n  ghijkl\n  mn");
        assert_eq!(fit("时间 时间 时间", Some(9)), "时间 时间\n时间");
        assert_eq!(hanging("one two three", 4, 11), "one two\n    three");
    }

    #[test]
    fn colours_take_no_room() {
        let red = "\u{1b}[31mred\u{1b}[0m and blue";
        assert_eq!(fit(red, Some(12)), red);
        assert_eq!(fit(red, Some(8)), "\u{1b}[31mred\u{1b}[0m and\nblue");
        assert_eq!(
            fit("\u{1b}[31mabcdefghij\u{1b}[0m", Some(6)),
            "\u{1b}[31mabcdef\u{1b}[0m\n\u{1b}[31mghij\u{1b}[0m"
        );
    }
}
