//! A text under construction: words, the blanks between them, and lines.

/// The text so far. Blanks and line breaks are written once something follows them.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) text: String,
    breaks: usize,
    is_apart: bool,
    /// The number of open elements that keep blanks.
    pub(super) verbatim: usize,
}

impl Lines {
    pub(super) fn words(&mut self, text: &str) {
        if self.verbatim > 0 {
            self.flush();
            self.text.push_str(text);
            return;
        }
        let mut words = text.split(|c: char| c.is_ascii_whitespace());
        self.word(words.next().unwrap_or_default());
        for word in words {
            self.is_apart = true;
            self.word(word);
        }
    }

    fn word(&mut self, word: &str) {
        if !word.is_empty() {
            self.flush();
            self.text.push_str(word);
        }
    }

    /// Adds a mark before the following text, without a blank between them.
    pub(super) fn mark(&mut self, mark: &str) {
        self.word(mark);
    }

    /// Adds a mark directly after the preceding text.
    pub(super) fn beside(&mut self, mark: &str) {
        if self.breaks == 0 && !self.is_apart {
            self.text.push_str(mark);
        } else {
            self.word(mark);
        }
    }

    pub(super) fn breaks(&mut self, lines: usize) {
        self.breaks = self.breaks.max(lines);
    }

    pub(super) fn cell(&mut self) {
        if self.breaks == 0 && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.is_apart = true;
            self.word("|");
            self.is_apart = true;
        }
    }

    fn flush(&mut self) {
        let is_line_start = self.text.is_empty() || self.text.ends_with('\n');
        if self.breaks > 0 && !self.text.is_empty() {
            let there = self.text.len() - self.text.trim_end_matches('\n').len();
            self.text.extend(std::iter::repeat_n('\n', self.breaks.saturating_sub(there)));
        } else if self.is_apart && !is_line_start && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
        (self.breaks, self.is_apart) = (0, false);
    }
}
