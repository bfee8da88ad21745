//! Writes to the screen, for the only thread that may.
//!
//! INVARIANT: lines begin at the left edge, in raw mode too, and are at most as wide as the terminal; the status line
//! is removed before anything else is written.

use crate::out::Out;
use crate::wrap::{columns, cut, fit};
use crossterm::terminal::{Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{Command, cursor, event, execute, terminal};
use std::io::{self, Write};

/// The size assumed for a terminal of unknown size, in columns and rows.
const USUAL: (u16, u16) = (80, 24);

/// The screen.
pub(super) struct Screen {
    out: Out,
    /// The width in columns of each line that can be removed.
    drawn: Vec<usize>,
    /// True if a page covers the earlier output.
    shows_page: bool,
}

impl Screen {
    pub(super) fn new(out: Out) -> Self {
        Screen { out, drawn: Vec::new(), shows_page: false }
    }

    /// Writes permanent styled lines; lines that are too wide are wrapped between words.
    pub(super) fn show(&mut self, lines: &str) {
        self.clear();
        self.write(&fit(lines, Some(width())));
    }

    /// Draws styled lines that the next call removes, each cut to the width.
    pub(super) fn draw(&mut self, lines: &[String]) {
        self.clear();
        let width = width().saturating_sub(1);
        let lines: Vec<String> = lines.iter().map(|line| cut(line, width)).collect();
        self.drawn = lines.iter().map(|line| columns(line)).collect();
        self.commands(&[&cursor::Hide]);
        self.write(&lines.join("\n"));
    }

    /// Removes the drawn lines.
    pub(super) fn clear(&mut self) {
        let Some(rows) = rows(&std::mem::take(&mut self.drawn), width()) else { return };
        self.up(rows);
        self.commands(&[&cursor::Show]);
    }

    /// Clears from the left edge `rows` above the cursor to the end of the screen.
    pub(super) fn up(&self, rows: usize) {
        self.raw("\r");
        if let Ok(rows @ 1..) = u16::try_from(rows) {
            self.commands(&[&cursor::MoveUp(rows)]);
        }
        self.commands(&[&Clear(ClearType::FromCursorDown)]);
    }

    /// Shows a page that covers the earlier output, until [`Screen::close_page`].
    pub(super) fn page(&mut self, rows: &[String]) {
        if !self.shows_page {
            self.clear();
            self.commands(&[&EnterAlternateScreen, &cursor::Hide]);
            self.shows_page = true;
        }
        self.commands(&[&Clear(ClearType::All), &cursor::MoveTo(0, 0)]);
        let rows: Vec<String> = rows.iter().map(|row| cut(row, width())).collect();
        self.write(&rows.join("\n"));
    }

    /// Shows the earlier output again.
    pub(super) fn close_page(&mut self) {
        if std::mem::take(&mut self.shows_page) {
            self.commands(&[&LeaveAlternateScreen, &cursor::Show]);
        }
    }

    /// Writes an escape sequence that controls the terminal.
    pub(super) fn raw(&self, sequence: &str) {
        // An unwritable terminal is closed, and the next read of a key reports it.
        drop(self.out.print_raw(sequence.as_bytes()));
    }

    fn write(&self, lines: &str) {
        drop(self.out.print(&lines.replace('\n', "\r\n")));
    }

    fn commands(&self, commands: &[&dyn Ansi]) {
        commands.iter().for_each(|command| self.raw(&command.sequence()));
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.close_page();
    }
}

/// Converts a terminal command to text.
trait Ansi {
    fn sequence(&self) -> String;
}

impl<C: Command> Ansi for C {
    fn sequence(&self) -> String {
        let mut text = String::new();
        // Writing to a string can't fail.
        let _written = self.write_ansi(&mut text);
        text
    }
}

/// Returns the number of columns of the terminal.
pub(in crate::commands::run) fn width() -> usize {
    usize::from(size().0.max(10))
}

/// Returns the number of rows of the terminal.
pub(super) fn height() -> usize {
    usize::from(size().1.max(4))
}

/// Returns the numbers of columns and rows. Some terminals report zero.
fn size() -> (u16, u16) {
    let (columns, rows) = terminal::size().unwrap_or(USUAL);
    (if columns == 0 { USUAL.0 } else { columns }, if rows == 0 { USUAL.1 } else { rows })
}

/// Returns the number of rows between the first of these lines and the cursor, which is after the last; `None` without
/// lines.
fn rows(drawn: &[usize], width: usize) -> Option<usize> {
    let all: usize = drawn.iter().map(|columns| columns.saturating_sub(1) / width + 1).sum();
    all.checked_sub(1)
}

/// Restores the terminal.
pub(super) fn restore() {
    drop(terminal::disable_raw_mode());
    let mut stdout = io::stdout().lock();
    drop(execute!(stdout, event::DisableBracketedPaste, cursor::Show));
    drop(stdout.flush());
}

/// Restores the terminal when dropped.
pub(super) struct RestoreGuard;

impl Drop for RestoreGuard {
    fn drop(&mut self) {
        restore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_drawn_is_found_again_also_where_the_terminal_is_narrower_now() {
        assert_eq!(rows(&[], 40), None);
        assert_eq!(rows(&[0], 40), Some(0));
        assert_eq!(rows(&[40, 3], 40), Some(1));
        assert_eq!(rows(&[100, 3], 40), Some(3));
    }
}
