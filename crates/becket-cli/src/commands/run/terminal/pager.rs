//! A whole document, shown a page at a time. Pure: keys go in, rows come out.

use crate::report::style::{FAINT, styled};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The key that opens the pager.
pub(super) const VIEW: char = 'v';

/// A document that is paged through.
pub(super) struct Pager {
    rows: Vec<String>,
    /// The first row that is shown.
    top: usize,
    /// The number of rows that are shown at once.
    page: usize,
}

impl Pager {
    /// Creates a pager for these rows on a screen of this height.
    pub(super) fn new(rows: Vec<String>, height: usize) -> Self {
        Pager { rows, top: 0, page: height.saturating_sub(1).max(1) }
    }

    /// Replaces the rows after a change of width or height; the position stays about the same.
    pub(super) fn resize(&mut self, rows: Vec<String>, height: usize) {
        let top = self.top * rows.len() / self.rows.len().max(1);
        *self = Pager { top, ..Pager::new(rows, height) };
        self.top = self.top.min(self.last());
    }

    /// Handles a key; returns true if the pager stays open.
    #[expect(clippy::wildcard_enum_match_arm, reason = "another crate's enum")]
    pub(super) fn on(&mut self, key: KeyEvent) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return key.code != KeyCode::Char('c') && key.code != KeyCode::Char('d');
        }
        let step = self.page.saturating_sub(1).max(1);
        self.top = match key.code {
            KeyCode::Esc | KeyCode::Char('q' | VIEW) => return false,
            KeyCode::Up | KeyCode::Char('k') => self.top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => self.top + 1,
            KeyCode::PageUp | KeyCode::Char('b') => self.top.saturating_sub(step),
            KeyCode::PageDown | KeyCode::Char(' ') => self.top + step,
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => usize::MAX,
            _ => self.top,
        }
        .min(self.last());
        true
    }

    fn last(&self) -> usize {
        self.rows.len().saturating_sub(self.page)
    }

    /// Returns the visible rows, the last of which shows the position and the keys.
    pub(super) fn rows(&self) -> Vec<String> {
        let end = (self.top + self.page).min(self.rows.len());
        let mut rows: Vec<String> = self.rows[self.top..end].to_vec();
        let place = format!("lines {}–{end} of {}", self.top + 1, self.rows.len());
        rows.push(styled(FAINT, &format!("q goes back · {place} · space, b, ↑ and ↓ move")));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_reached_and_the_way_back_is_named() {
        let mut pager = Pager::new((1..=25).map(|n| format!("row {n}")).collect(), 11);
        let mut press = |code| {
            let goes_on = pager.on(KeyEvent::new(code, KeyModifiers::NONE));
            let rows = pager.rows();
            (goes_on, rows[0].clone(), rows[rows.len() - 2].clone())
        };
        use KeyCode::{Char, Down, End, Home, PageUp, Up};
        for (code, first, last) in [
            (Up, 1, 10),
            (Char(' '), 10, 19),
            (Char(' '), 16, 25),
            (Down, 16, 25),
            (PageUp, 7, 16),
            (End, 16, 25),
            (Home, 1, 10),
            (Down, 2, 11),
        ] {
            assert_eq!(press(code), (true, format!("row {first}"), format!("row {last}")), "{code:?}");
        }
        assert!(!press(Char('q')).0 && !press(KeyCode::Esc).0);
        let rows = Pager::new(vec!["one".to_owned()], 20).rows();
        assert!(rows[1].contains("lines 1–1 of 1") && rows[1].contains("q goes back"), "{rows:?}");
    }
}
