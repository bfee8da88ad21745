//! Writes to the screen, for the one thread that may.
//!
//! INVARIANT: lines begin at the left edge, in raw mode too; the line that moves is gone before anything else is written.

use crate::out::Out;
use crossterm::terminal::{Clear, ClearType};
use crossterm::{Command, cursor, event, execute, terminal};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The screen.
pub(super) struct Screen {
    out: Out,
    /// How many columns each line takes that can be taken back.
    drawn: Vec<usize>,
}

impl Screen {
    pub(super) fn new(out: Out) -> Self {
        Screen { out, drawn: Vec::new() }
    }

    /// Writes lines that stay, styled.
    pub(super) fn show(&mut self, lines: &str) {
        self.clear();
        self.write(lines);
    }

    /// Draws lines that are taken back with the next call, each cut to the width; styled.
    pub(super) fn draw(&mut self, lines: &[String]) {
        self.clear();
        let width = width().saturating_sub(1);
        let lines: Vec<String> = lines.iter().map(|line| cut(line, width)).collect();
        self.drawn = lines.iter().map(|line| columns(line)).collect();
        self.commands(&[&cursor::Hide]);
        self.write(&lines.join("\n"));
    }

    /// Takes back what was drawn.
    pub(super) fn clear(&mut self) {
        let Some(rows) = rows(&std::mem::take(&mut self.drawn), width()) else { return };
        self.up(rows);
        self.commands(&[&cursor::Show]);
    }

    /// Takes back what stands between the left edge `rows` above and here, and all below.
    pub(super) fn up(&self, rows: usize) {
        self.raw("\r");
        if let Ok(rows @ 1..) = u16::try_from(rows) {
            self.commands(&[&cursor::MoveUp(rows)]);
        }
        self.commands(&[&Clear(ClearType::FromCursorDown)]);
    }

    /// Writes a sequence that commands the terminal.
    pub(super) fn raw(&self, sequence: &str) {
        // A terminal that can't be written to is gone, and the next key read says so.
        drop(self.out.print_raw(sequence.as_bytes()));
    }

    fn write(&self, lines: &str) {
        drop(self.out.print(&lines.replace('\n', "\r\n")));
    }

    fn commands(&self, commands: &[&dyn Ansi]) {
        commands.iter().for_each(|command| self.raw(&command.sequence()));
    }
}

/// A command as text.
trait Ansi {
    fn sequence(&self) -> String;
}

impl<C: Command> Ansi for C {
    fn sequence(&self) -> String {
        let mut text = String::new();
        // A text takes all that is written to it.
        let _written = self.write_ansi(&mut text);
        text
    }
}

/// How many columns the terminal has.
pub(super) fn width() -> usize {
    terminal::size().map_or(80, |(columns, _)| usize::from(columns.max(10)))
}

/// How many rows above the cursor these lines begin, the cursor being behind the last; none where there are none.
fn rows(drawn: &[usize], width: usize) -> Option<usize> {
    let all: usize = drawn.iter().map(|columns| columns.saturating_sub(1) / width + 1).sum();
    all.checked_sub(1)
}

/// How many columns a styled text takes.
pub(super) fn columns(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

/// A styled text, cut to a width; the styles end.
pub(super) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let (mut kept, mut used, mut is_sequence) = (String::new(), 0, false);
    for c in text.chars() {
        if c == '\u{1b}' {
            is_sequence = true;
        }
        let room = if is_sequence { 0 } else { unicode_width::UnicodeWidthChar::width(c).unwrap_or(0) };
        if used + room > width.saturating_sub(1) {
            break;
        }
        used += room;
        kept.push(c);
        is_sequence = is_sequence && !c.is_ascii_alphabetic();
    }
    format!("{kept}…{}", anstyle::Reset)
}

/// Dropped, the terminal is as it was found.
pub(super) struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        drop(terminal::disable_raw_mode());
        let mut stdout = io::stdout().lock();
        drop(execute!(stdout, event::DisableBracketedPaste, cursor::Show));
        drop(stdout.flush());
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

    #[test]
    fn styles_take_no_room_and_end_with_a_cut() {
        assert_eq!(columns("\u{1b}[1mab\u{1b}[0m"), 2);
        assert_eq!(cut("\u{1b}[1mab\u{1b}[0m", 2), "\u{1b}[1mab\u{1b}[0m");
        assert_eq!(cut("\u{1b}[1mabcd\u{1b}[0m", 3), "\u{1b}[1mab…\u{1b}[0m");
        assert_eq!(cut("日本語", 5), "日本…\u{1b}[0m");
    }
}
