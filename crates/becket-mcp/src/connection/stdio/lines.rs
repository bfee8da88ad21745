//! Splits a stream into lines.
//!
//! INVARIANT: at most `cap` bytes are kept between two calls.

use memchr::memchr;

/// The bytes of an incomplete line.
#[derive(Debug)]
pub(super) struct Lines {
    begun: Vec<u8>,
    cap: usize,
}

/// A line is longer than the cap.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Lines {
    pub(super) fn new(cap: usize) -> Self {
        Self { begun: Vec::new(), cap }
    }

    /// Returns the lines that `bytes` completes, without their ends, LF or CR LF; empty lines are skipped.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut line: impl FnMut(Vec<u8>)) -> Result<(), TooLong> {
        while let Some(end) = memchr(b'\n', bytes) {
            self.keep(&bytes[..end])?;
            bytes = &bytes[end + 1..];
            let mut whole = std::mem::take(&mut self.begun);
            if whole.last() == Some(&b'\r') {
                whole.pop();
            }
            if !whole.is_empty() {
                line(whole);
            }
        }
        self.keep(bytes)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.begun.len() + bytes.len() > self.cap {
            self.begun = Vec::new();
            return Err(TooLong);
        }
        self.begun.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_whole_however_they_come_in() {
        let text = b"one\ntwo\r\n\n\r\nthr\ree\nrest";
        for size in 1..=text.len() {
            let mut lines = Lines::new(10);
            let mut got = Vec::new();
            for piece in text.chunks(size) {
                lines.push(piece, |line| got.push(String::from_utf8(line).unwrap())).unwrap();
            }
            assert_eq!(got, ["one", "two", "thr\ree"], "{size}");
        }
    }

    #[test]
    fn a_line_at_the_cap_passes_and_one_above_does_not() {
        let mut lines = Lines::new(3);
        let mut count = 0;
        assert_eq!(lines.push(b"abc\nabc\n", |_| count += 1), Ok(()));
        assert_eq!(count, 2);
        assert_eq!(lines.push(b"ab", |_| ()), Ok(()));
        assert_eq!(lines.push(b"cd", |_| ()), Err(TooLong));
        assert_eq!(Lines::new(3).push(b"abcd\n", |_| ()), Err(TooLong));
    }
}
