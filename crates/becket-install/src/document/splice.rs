//! Insertions and deletions in a text.

use super::EditedText;
use std::ops::Range;

/// Texts to insert, each before the byte at its position.
#[derive(Debug, Default)]
pub(super) struct Insertions(Vec<Insertion>);

#[derive(Debug)]
struct Insertion {
    at: usize,
    text: String,
}

impl Insertions {
    /// Adds a text. Texts at one position are inserted in the order of their addition.
    pub(super) fn push(&mut self, at: usize, text: impl Into<String>) {
        self.0.push(Insertion { at, text: text.into() });
    }

    /// Returns the text with all insertions.
    pub(super) fn apply(mut self, text: &str, created: Vec<Vec<String>>) -> EditedText {
        self.0.sort_by_key(|insertion| insertion.at);
        let mut edited =
            EditedText { text: String::with_capacity(text.len()), inserted: Vec::new(), created };
        let mut from = 0;
        for Insertion { at, text: new } in self.0 {
            edited.text.push_str(&text[from..at]);
            let start = edited.text.len();
            edited.text.push_str(&new);
            edited.inserted.push(start..edited.text.len());
            from = at;
        }
        edited.text.push_str(&text[from..]);
        edited
    }
}

/// Returns the text without some ranges, which may touch but not overlap.
pub(super) fn without(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        kept.push_str(text.get(from..range.start).unwrap_or_default());
        from = from.max(range.end);
    }
    kept.push_str(&text[from..]);
    kept
}
