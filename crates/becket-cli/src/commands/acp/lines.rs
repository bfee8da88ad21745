//! The lines of the editor, each with its line end, as they came.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// The length limit of a line from either side, in bytes: prompts may contain images.
pub(super) const LIMIT: usize = 64 << 20;

/// A reader of lines.
pub(super) struct Lines<R> {
    from: BufReader<R>,
}

/// The next line, or the end of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextLine {
    /// A line with its line end; the last one may have none.
    Line(Vec<u8>),
    /// The input has ended, or can't be read.
    End,
    /// The line is longer than the limit.
    TooLong,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Creates a reader.
    pub(super) fn new(from: R) -> Self {
        Lines { from: BufReader::new(from) }
    }

    /// Returns the next line. Not cancel-safe.
    pub(super) async fn next(&mut self) -> NextLine {
        let mut line = Vec::new();
        let limit = u64::try_from(LIMIT).unwrap_or(u64::MAX).saturating_add(1);
        match (&mut self.from).take(limit).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => NextLine::End,
            Ok(read) if read > LIMIT => NextLine::TooLong,
            Ok(_) => NextLine::Line(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_keep_their_ends() {
        let mut lines = Lines::new(&b"a\r\n\nb"[..]);
        for expected in [&b"a\r\n"[..], b"\n", b"b"] {
            assert_eq!(lines.next().await, NextLine::Line(expected.to_vec()));
        }
        assert_eq!(lines.next().await, NextLine::End);
    }

    #[tokio::test]
    async fn a_line_past_the_limit_is_none() {
        let long = [vec![b'x'; LIMIT - 1], b"\nyy\n".to_vec()].concat();
        let mut lines = Lines::new(&long[..]);
        assert!(matches!(lines.next().await, NextLine::Line(line) if line.len() == LIMIT));
        let long = vec![b'x'; LIMIT + 1];
        assert_eq!(Lines::new(&long[..]).next().await, NextLine::TooLong);
    }
}
