//! The output of a command, of which the beginning and the end are kept, up to the mark that says that it has ended.
//!
//! INVARIANT: what is held does not grow with what is printed.

use std::collections::VecDeque;

/// Characters of a stream that are shown.
pub(crate) const MOST_CHARS: usize = 30_000;
const HALF: usize = MOST_CHARS / 2;
/// Bytes that hold half of them.
const HALF_BYTES: usize = HALF * 4;
/// Digits of the longest exit code.
const CODE: usize = 10;

/// One stream of a command.
#[derive(Debug)]
pub(crate) struct Capture {
    /// What stands before the exit code: a newline, a word that nobody guesses, a blank.
    mark: Vec<u8>,
    /// The end of what was read, where a mark may have begun.
    held: Vec<u8>,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    code: Option<i32>,
}

impl Capture {
    /// Waits for `word` on a line of its own, followed by an exit code.
    pub(crate) fn new(word: &str) -> Self {
        Self {
            mark: format!("\n{word} ").into_bytes(),
            held: Vec::new(),
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
            code: None,
        }
    }

    /// Takes what was printed; what follows the mark is dropped.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.code.is_some() {
            return;
        }
        self.held.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(at) = self.candidate(from) {
            match self.code_at(at) {
                Found::Code(code) => {
                    self.code = Some(code);
                    self.keep(at);
                    self.held.clear();
                    return;
                }
                Found::Unfinished => return self.keep(at),
                Found::Nothing => from = at + 1,
            }
        }
        self.keep(self.held.len());
    }

    /// The exit code, once the mark was seen.
    pub(crate) fn code(&self) -> Option<i32> {
        self.code
    }

    /// What was printed, as text: all of it, or its beginning and its end. The final newline is left out.
    pub(crate) fn text(mut self) -> String {
        self.keep(self.held.len());
        Excerpt { head: &self.head, tail: self.tail.make_contiguous(), total: self.total }.text()
    }

    /// Where a mark, or its beginning, stands in `held`.
    fn candidate(&self, from: usize) -> Option<usize> {
        let rest = self.held.get(from..)?;
        let starts = |at: &usize| {
            let here = rest.get(*at..).unwrap_or_default();
            here.starts_with(&self.mark) || self.mark.starts_with(here)
        };
        let newlines = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
        newlines.into_iter().find(starts).map(|at| at + from)
    }

    fn code_at(&self, at: usize) -> Found {
        let Some(digits) = self.held.get(at + self.mark.len()..) else { return Found::Unfinished };
        match digits.iter().position(|byte| *byte == b'\n') {
            None if digits.len() > CODE => Found::Nothing,
            None => Found::Unfinished,
            Some(end) => {
                let code =
                    digits.get(..end).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
                code.map_or(Found::Nothing, Found::Code)
            }
        }
    }

    /// Moves the first bytes of `held` to what is kept.
    fn keep(&mut self, count: usize) {
        let room = HALF_BYTES.saturating_sub(self.head.len()).min(count);
        self.total += count as u64;
        self.head.extend(self.held.drain(..room));
        self.tail.extend(self.held.drain(..count - room));
        let over = self.tail.len().saturating_sub(HALF_BYTES);
        self.tail.drain(..over);
    }
}

/// The beginning and the end of an output, next to each other or with a gap between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Excerpt<'a> {
    pub(crate) head: &'a [u8],
    pub(crate) tail: &'a [u8],
    /// How many bytes it is an excerpt of.
    pub(crate) total: u64,
}

impl Excerpt<'_> {
    /// As text, of at most [`MOST_CHARS`] and a line that says how much is missing. The final newline is left out.
    pub(crate) fn text(self) -> String {
        if self.total != (self.head.len() + self.tail.len()) as u64 {
            let tail = String::from_utf8_lossy(self.tail.strip_suffix(b"\n").unwrap_or(self.tail));
            return self.parts(&String::from_utf8_lossy(self.head), &tail);
        }
        let all = [self.head, self.tail].concat();
        let all = String::from_utf8_lossy(&all);
        let text = all.strip_suffix('\n').unwrap_or(&all);
        if text.chars().nth(MOST_CHARS).is_none() { text.to_owned() } else { self.parts(text, text) }
    }

    /// The beginning of one text, the end of another, and how much is missing between them.
    fn parts(self, head: &str, tail: &str) -> String {
        let end = head.char_indices().nth(HALF).map_or(head.len(), |(at, _)| at);
        let start = tail.char_indices().rev().nth(HALF - 1).map_or(0, |(at, _)| at);
        let (head, tail) = (head.get(..end).unwrap_or_default(), tail.get(start..).unwrap_or_default());
        let missing = self.total.saturating_sub((head.len() + tail.len()) as u64);
        format!("{head}\n\n[… {missing} bytes left out …]\n\n{tail}")
    }
}

/// What stands where a mark seems to begin.
enum Found {
    Code(i32),
    Unfinished,
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn captured(chunks: &[&[u8]]) -> Capture {
        let mut capture = Capture::new("MARK");
        chunks.iter().for_each(|chunk| capture.push(chunk));
        capture
    }

    #[test]
    fn the_mark_ends_the_text_and_is_no_part_of_it() {
        for (chunks, code, text) in [
            (&[&b"out\n\nMARK 3\nlate"[..]][..], Some(3), "out"),
            (&[b"out", b"\nMA", b"RK 12", b"7\n"], Some(127), "out"),
            (&[b"\nMARK 0\n", b"late"], Some(0), ""),
            (&[b"a\nMARK x\nb\nMARK 1\n"], Some(1), "a\nMARK x\nb"),
            (&[b"a\nMARK"], None, "a\nMARK"),
            (&[b"a\nMARK 12345678901234"], None, "a\nMARK 12345678901234"),
            (&[b"MARK 0\n"], None, "MARK 0"),
        ] {
            let capture = captured(chunks);
            assert_eq!(capture.code(), code, "{chunks:?}");
            assert_eq!(capture.text(), text, "{chunks:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn what_is_kept_is_bounded_whatever_is_printed(
            chunks in prop::collection::vec(("[aä€\n]{0,40}", 1_usize..4_000), 0..12),
        ) {
            let whole: String = chunks.iter().map(|(text, times)| text.repeat(*times)).collect();
            let mut capture = Capture::new("MARK");
            for (text, times) in &chunks {
                capture.push(text.repeat(*times).as_bytes());
                prop_assert!(capture.head.len() + capture.tail.len() <= 2 * HALF_BYTES);
            }
            capture.push(b"\nMARK 0\n");
            prop_assert_eq!(capture.code(), Some(0));
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
