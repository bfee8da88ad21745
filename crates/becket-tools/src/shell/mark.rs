//! The mark that shows the end of a command, found in its output.
//!
//! INVARIANT: everything before the mark is passed on, in order and once; nothing after it is. Only a possible
//! beginning of the mark is held back.

/// The maximum number of digits of an exit code.
const CODE: usize = 10;

/// One stream, up to its mark.
#[derive(Debug)]
pub(crate) struct MarkedStream {
    /// The text before the exit code: a newline, an unguessable word, a blank.
    mark: Vec<u8>,
    /// The end of the bytes read so far, where a mark may have begun.
    held: Vec<u8>,
    code: Option<i32>,
}

impl MarkedStream {
    /// Waits for `word` on a line of its own, followed by an exit code.
    pub(crate) fn new(word: &str) -> Self {
        Self { mark: format!("\n{word} ").into_bytes(), held: Vec::new(), code: None }
    }

    /// Adds printed bytes, and passes them on; everything after the mark is dropped.
    pub(crate) fn push(&mut self, bytes: &[u8], mut pass: impl FnMut(&[u8])) {
        if self.code.is_some() {
            return;
        }
        self.held.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(at) = self.candidate(from) {
            match self.code_at(at) {
                MarkSearch::Code(code) => {
                    self.code = Some(code);
                    self.release(at, pass);
                    self.held.clear();
                    return;
                }
                MarkSearch::Unfinished => return self.release(at, pass),
                MarkSearch::Nothing => from = at + 1,
            }
        }
        self.release(self.held.len(), &mut pass);
    }

    /// Ends the stream: bytes that were held back are passed on.
    pub(crate) fn finish(&mut self, pass: impl FnMut(&[u8])) {
        self.release(self.held.len(), pass);
    }

    /// Returns the exit code, once the mark was seen.
    pub(crate) fn code(&self) -> Option<i32> {
        self.code
    }

    fn release(&mut self, count: usize, mut pass: impl FnMut(&[u8])) {
        if let Some(bytes) = self.held.get(..count).filter(|bytes| !bytes.is_empty()) {
            pass(bytes);
        }
        self.held.drain(..count);
    }

    /// Returns the position of a mark, or of its beginning, in `held`.
    fn candidate(&self, from: usize) -> Option<usize> {
        let rest = self.held.get(from..)?;
        let beginning = || {
            // Only the end can contain a beginning of the mark.
            let end = rest.len().saturating_sub(self.mark.len() - 1);
            let newlines = memchr::memchr_iter(b'\n', rest.get(end..)?).map(|at| at + end);
            newlines.into_iter().find(|at| rest.get(*at..).is_some_and(|here| self.mark.starts_with(here)))
        };
        memchr::memmem::find(rest, &self.mark).or_else(beginning).map(|at| at + from)
    }

    fn code_at(&self, at: usize) -> MarkSearch {
        let Some(digits) = self.held.get(at + self.mark.len()..) else { return MarkSearch::Unfinished };
        match digits.iter().position(|byte| *byte == b'\n') {
            None if digits.len() > CODE => MarkSearch::Nothing,
            None => MarkSearch::Unfinished,
            Some(end) => {
                let code =
                    digits.get(..end).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
                code.map_or(MarkSearch::Nothing, MarkSearch::Code)
            }
        }
    }
}

/// The result of a search for a mark.
enum MarkSearch {
    Code(i32),
    Unfinished,
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn passed(chunks: &[&[u8]]) -> (Option<i32>, Vec<u8>) {
        let (mut marked, mut passed) = (MarkedStream::new("MARK"), Vec::new());
        chunks.iter().for_each(|chunk| marked.push(chunk, |bytes| passed.extend_from_slice(bytes)));
        marked.finish(|bytes| passed.extend_from_slice(bytes));
        (marked.code(), passed)
    }

    #[test]
    fn the_mark_ends_the_text_and_is_no_part_of_it() {
        for (chunks, code, text) in [
            (&[&b"out\n\nMARK 3\nlate"[..]][..], Some(3), "out\n"),
            (&[b"out", b"\nMA", b"RK 12", b"7\n"], Some(127), "out"),
            (&[b"\nMARK 0\n", b"late"], Some(0), ""),
            (&[b"a\nMARK x\nb\nMARK 1\n"], Some(1), "a\nMARK x\nb"),
            (&[b"a\nMARK"], None, "a\nMARK"),
            (&[b"a\nMARK 12345678901234"], None, "a\nMARK 12345678901234"),
            (&[b"MARK 0\n"], None, "MARK 0\n"),
        ] {
            assert_eq!(passed(chunks), (code, text.as_bytes().to_vec()), "{chunks:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn it_is_found_wherever_the_chunks_are_cut(text in "[MARK \n0]{0,60}", cuts in prop::collection::vec(0_usize..80, 0..8)) {
            let all = format!("{text}\nMARK 42\nlate");
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(all.len())).collect();
            cuts.extend([0, all.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|at| &all.as_bytes()[at[0]..at[1]]).collect();
            prop_assert_eq!(passed(&chunks), passed(&[all.as_bytes()]));
            prop_assert!(passed(&chunks).0.is_some());
        }
    }
}
