//! The output of a command; its beginning and its end are kept.
//!
//! INVARIANT: memory does not grow with the output.

use std::collections::VecDeque;

/// The number of characters of a stream that are shown.
pub(crate) const MOST_CHARS: usize = 30_000;
const HALF: usize = MOST_CHARS / 2;
/// The number of bytes that contain half of them.
const HALF_BYTES: usize = HALF * 4;

/// The beginning and the end of one output.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Capture {
    /// Adds printed bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = HALF_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        let (head, tail) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        let skipped = tail.len().saturating_sub(HALF_BYTES);
        self.tail.extend(tail.iter().skip(skipped));
        let over = self.tail.len().saturating_sub(HALF_BYTES);
        self.tail.drain(..over);
    }

    /// Returns whether another chunk of that many bytes fits.
    pub(crate) fn has_room_for(&self, bytes: usize) -> bool {
        self.head.len() + self.tail.len() + bytes <= 2 * HALF_BYTES
    }

    /// Returns the number of bytes printed.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the kept bytes: the beginning, and the end.
    pub(crate) fn parts(&mut self) -> (&[u8], &[u8]) {
        (&self.head, self.tail.make_contiguous())
    }

    /// Returns the output as text: all of it, or its beginning and its end. The final newline is removed.
    pub(crate) fn text(&mut self) -> String {
        let total = self.total;
        let (head, tail) = self.parts();
        Excerpt { head, tail, total }.text()
    }
}

/// The beginning and the end of an output, next to each other or with a gap between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Excerpt<'a> {
    pub(crate) head: &'a [u8],
    pub(crate) tail: &'a [u8],
    /// Size of the full output in bytes.
    pub(crate) total: u64,
}

impl Excerpt<'_> {
    /// Returns whether the text leaves something out.
    pub(crate) fn is_cut(&self) -> bool {
        let kept = (self.head.len() + self.tail.len()) as u64;
        self.total != kept || kept > MOST_CHARS as u64 && self.text_of_all().chars().nth(MOST_CHARS).is_some()
    }

    /// Returns the text, of at most [`MOST_CHARS`] and a line that says how much is missing. The final newline is
    /// removed.
    pub(crate) fn text(self) -> String {
        if self.total != (self.head.len() + self.tail.len()) as u64 {
            let tail = String::from_utf8_lossy(self.tail.strip_suffix(b"\n").unwrap_or(self.tail));
            return self.parts(&String::from_utf8_lossy(self.head), &tail);
        }
        let text = self.text_of_all();
        if text.chars().nth(MOST_CHARS).is_none() { text } else { self.parts(&text, &text) }
    }

    fn text_of_all(&self) -> String {
        let all = [self.head, self.tail].concat();
        let mut text = String::from_utf8_lossy(&all).into_owned();
        if text.ends_with('\n') {
            text.pop();
        }
        text
    }

    /// Joins the beginning of one text, the end of another, and the amount that is missing between them.
    fn parts(self, head: &str, tail: &str) -> String {
        let end = head.char_indices().nth(HALF).map_or(head.len(), |(at, _)| at);
        let start = tail.char_indices().rev().nth(HALF - 1).map_or(0, |(at, _)| at);
        let (head, tail) = (head.get(..end).unwrap_or_default(), tail.get(start..).unwrap_or_default());
        let missing = self.total.saturating_sub((head.len() + tail.len()) as u64);
        format!("{head}\n\n[… {missing} bytes left out …]\n\n{tail}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn what_is_kept_is_bounded_whatever_is_printed(
            chunks in prop::collection::vec(("[aä€\n]{0,40}", 1_usize..4_000), 0..12),
        ) {
            let whole: String = chunks.iter().map(|(text, times)| text.repeat(*times)).collect();
            let mut capture = Capture::default();
            for (text, times) in &chunks {
                capture.push(text.repeat(*times).as_bytes());
                prop_assert!(capture.head.len() + capture.tail.len() <= 2 * HALF_BYTES);
            }
            let text = capture.text();
            let all = whole.strip_suffix('\n').unwrap_or(&whole);
            if all.chars().count() <= MOST_CHARS {
                prop_assert_eq!(text, all);
            } else {
                prop_assert!(text.chars().count() <= MOST_CHARS + 60);
                let first: String = all.chars().take(1_000).collect();
                let last: String = all.chars().skip(all.chars().count() - 1_000).collect();
                prop_assert!(text.starts_with(&first) && text.ends_with(&last));
            }
        }
    }
}
