//! Columns that stand below each other, whatever the colours.

use super::style::{NONE, one_line};
use anstyle::Style;
use unicode_width::UnicodeWidthStr;

/// The longest text of a cell that is no last one, in characters.
const WIDEST: usize = 60;

/// One cell: a text and how it looks.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell in a style.
    pub(crate) fn new(style: Style, text: &str) -> Self {
        Cell { text: one_line(text, WIDEST), style }
    }

    /// A cell without a style.
    pub(crate) fn text(text: &str) -> Self {
        Cell::new(NONE, text)
    }

    /// A cell for the end of a line, which may be long.
    pub(crate) fn last(style: Style, text: &str) -> Self {
        Cell { text: one_line(text, 4 * WIDEST), style }
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

/// Rows of cells; below a row may stand lines that don't count for the columns.
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

    /// The table, two blanks between columns, `indent` in front.
    pub(crate) fn render(&self, indent: usize) -> String {
        let columns = self.rows.iter().map(|(cells, _)| cells.len()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|n| {
                self.rows.iter().filter_map(|(cells, _)| cells.get(n)).map(Cell::width).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for (cells, below) in &self.rows {
            text.push_str(&line(cells, &widths, indent));
            text.push_str(below);
        }
        text
    }
}

fn line(cells: &[Cell], widths: &[usize], indent: usize) -> String {
    let mut line = " ".repeat(indent);
    let filled = cells.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
    for (n, cell) in cells.iter().take(filled).enumerate() {
        let style = cell.style;
        line.push_str(&format!("{style}{}{style:#}", cell.text));
        if n + 1 < filled {
            line.push_str(&" ".repeat(widths[n] - cell.width() + 2));
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
}
