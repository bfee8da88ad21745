//! Columns that are aligned regardless of colours.

use super::style::{NONE, one_line};
use crate::wrap;
use anstyle::Style;
use unicode_width::UnicodeWidthStr;

/// The maximum width of a cell that is not the last one, in characters.
const WIDEST: usize = 60;

/// One cell: a text and its style.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Creates a cell with a style.
    pub(crate) fn new(style: Style, text: &str) -> Self {
        Cell { text: one_line(text, WIDEST), style }
    }

    /// Creates a cell without a style.
    pub(crate) fn text(text: &str) -> Self {
        Cell::new(NONE, text)
    }

    /// Creates a cell for the end of a line, which may be long.
    pub(crate) fn last(style: Style, text: &str) -> Self {
        Cell { text: one_line(text, 4 * WIDEST), style }
    }

    fn width(&self) -> usize {
        self.text.width()
    }

    /// Returns the cell on a separate line; nothing if it is empty.
    fn alone(&self, indent: usize) -> String {
        let (style, text) = (self.style, &self.text);
        if text.is_empty() {
            String::new()
        } else {
            format!("{}{style}{text}{style:#}\n", " ".repeat(indent))
        }
    }
}

/// Rows of cells; text below a row does not influence the columns.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<(Vec<Cell>, String)>,
}

impl Table {
    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push((cells.into_iter().collect(), String::new()));
    }

    /// Adds styled lines below the last row.
    pub(crate) fn below(&mut self, lines: &str) {
        if let Some((_, below)) = self.rows.last_mut() {
            below.push_str(lines);
        }
    }

    /// Formats the table, with two blanks between columns and `indent` in front.
    pub(crate) fn render(&self, indent: usize) -> String {
        self.fitted(indent, None)
    }

    /// Formats the table in `width` columns. A last column of several words is wrapped between them; a last cell of one
    /// word that does not fit beside the rest of its row is placed below it.
    pub(crate) fn fitted(&self, indent: usize, width: Option<usize>) -> String {
        let widths = self.widths();
        let layout = match width {
            Some(width) => self.layout(&widths, indent, width),
            None => Layout { beside: vec![true; widths.len()], hangs_at: None },
        };
        let mut text = String::new();
        for (cells, below) in &self.rows {
            let sized = cells.iter().zip(widths.iter().copied()).zip(&layout.beside);
            let kept: Vec<(&Cell, usize)> = sized.filter(|(_, kept)| **kept).map(|(cell, _)| cell).collect();
            text.push_str(&line(&kept, indent, layout.hangs_at.zip(width)));
            for cell in cells.iter().zip(&layout.beside).filter(|(_, kept)| !**kept).map(|(cell, _)| cell) {
                text.push_str(&wrap::fit(&cell.alone(indent + 4), width));
            }
            text.push_str(&wrap::fit(below, width));
        }
        text
    }

    /// Returns the width of the widest cell of each column.
    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(|(cells, _)| cells.len()).max().unwrap_or_default();
        let widest = |n: usize| self.rows.iter().filter_map(|(cells, _)| cells.get(n)).map(Cell::width).max();
        (0..columns).map(|n| widest(n).unwrap_or(0)).collect()
    }

    /// Computes the positions of the columns: the widest shrink until the rest fits. The first column always keeps its
    /// width.
    fn layout(&self, widths: &[usize], indent: usize, width: usize) -> Layout {
        let mut beside = vec![true; widths.len()];
        loop {
            let before = |last: usize| -> usize {
                (0..last).filter(|n| beside[*n]).map(|n| widths[n] + 2).sum::<usize>() + indent
            };
            if before(widths.len()) <= width + 2 {
                return Layout { beside, hangs_at: None };
            }
            let last = widths.len().saturating_sub(1);
            let room = width.saturating_sub(before(last));
            if last > 0 && beside[last] && room >= ROOM && self.longest_word(last) <= room {
                let hangs_at = Some(before(last));
                return Layout { beside, hangs_at };
            }
            let widest = (1..widths.len()).filter(|n| beside[*n]).max_by_key(|n| (widths[*n], *n));
            match widest {
                Some(n) => beside[n] = false,
                None => return Layout { beside, hangs_at: None },
            }
        }
    }

    fn longest_word(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|(cells, _)| cells.get(column));
        cells.flat_map(|cell| cell.text.split(' ')).map(UnicodeWidthStr::width).max().unwrap_or(0)
    }
}

/// The minimum width of a column of several words.
const ROOM: usize = 24;

/// The columns that are next to each other, and the position of the last one if it is wrapped between words.
struct Layout {
    beside: Vec<bool>,
    hangs_at: Option<usize>,
}

/// Formats one row; its last cell is wrapped in a column of the given width, if any.
fn line(cells: &[(&Cell, usize)], indent: usize, hangs: Option<(usize, usize)>) -> String {
    let mut line = " ".repeat(indent);
    let filled = cells.iter().rposition(|(cell, _)| !cell.text.is_empty()).map_or(0, |last| last + 1);
    for (n, (cell, width)) in cells.iter().take(filled).enumerate() {
        let style = cell.style;
        let text = match hangs.filter(|_| n + 1 == cells.len()) {
            Some((column, width)) => wrap::hanging(&cell.text, column, width),
            None => cell.text.clone(),
        };
        line.push_str(&format!("{style}{text}{style:#}"));
        if n + 1 < filled {
            line.push_str(&" ".repeat(width - cell.width() + 2));
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::style::ERROR;

    #[test]
    fn columns_line_up_whatever_their_style() {
        let mut table = Table::default();
        table.row([Cell::new(ERROR, "ä"), Cell::text("one")]);
        table.below("    below\n");
        table.row([Cell::text("longer"), Cell::text("two"), Cell::text("")]);
        table.row([Cell::text("时间"), Cell::text("wide")]);
        let plain = anstream::adapter::strip_str(&table.render(2)).to_string();
        assert_eq!(plain, "  ä       one\n    below\n  longer  two\n  时间    wide\n");
    }

    #[test]
    fn what_does_not_fit_stands_below_its_row() {
        let mut table = Table::default();
        table.row([
            Cell::text("project"),
            Cell::text("sh ./a/long/command --with words"),
            Cell::text("10 s"),
        ]);
        table.below("      a remark that is long, too\n");
        table.row([Cell::text("user"), Cell::text("true"), Cell::text("5 s"), Cell::text("x")]);
        for (width, expected) in [
            (
                200,
                "  project  sh ./a/long/command --with words  10 s\n      a remark that is long, too\n  user     true                              5 s   x\n",
            ),
            (
                28,
                "  project  10 s\n      sh ./a/long/command\n      --with words\n      a remark that is long,\n      too\n  user     5 s   x\n      true\n",
            ),
        ] {
            let plain = anstream::adapter::strip_str(&table.fitted(2, Some(width))).to_string();
            assert_eq!(plain, expected, "{width}");
        }
    }

    #[test]
    fn a_last_column_of_words_is_broken_between_them() {
        let mut table = Table::default();
        table.row([Cell::text("EVENT"), Cell::last(NONE, "one two three four five six seven")]);
        let plain = anstream::adapter::strip_str(&table.fitted(0, Some(32))).to_string();
        assert_eq!(plain, "EVENT  one two three four five\n       six seven\n");
    }
}
