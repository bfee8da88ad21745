//! Reads lines, each up to a limit. What is longer is passed over without being kept, and told once.

use super::fault::Fault;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// The longest message, in bytes without its line end.
pub(super) const LIMIT: usize = 16 << 20;

/// How much is read at once, in bytes.
const CHUNK: usize = 64 << 10;

/// The lines of a client.
pub(super) struct Lines<R> {
    from: BufReader<R>,
    /// The number of the last line, from 1.
    number: u64,
}

/// A line, or why it is none.
#[derive(Debug)]
pub(super) enum Line {
    Whole(Vec<u8>, u64),
    /// It is told, and the next line can be read.
    Bad(Fault),
    /// It is told, and there is nothing behind it.
    Last(Fault),
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Lines { from: BufReader::with_capacity(CHUNK, from), number: 0 }
    }

    /// The next line that is not blank. A client whose stream breaks is at its end.
    pub(super) async fn next(&mut self) -> Line {
        loop {
            let mut line = Vec::new();
            let most = LIMIT as u64 + 1;
            let read = (&mut self.from).take(most).read_until(b'\n', &mut line).await;
            if !read.is_ok_and(|bytes| bytes > 0) {
                return Line::End;
            }
            self.number += 1;
            if line.last() == Some(&b'\n') {
                line.pop();
            } else if line.len() > LIMIT {
                self.pass_over().await;
                return Line::Bad(Fault::TooLong { line: self.number, limit: LIMIT });
            } else if !is_whole(&line) {
                return Line::Last(Fault::CutOff { line: self.number, bytes: line.len() });
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Line::Whole(line, self.number);
            }
        }
    }

    /// Passes over the rest of a line.
    async fn pass_over(&mut self) {
        while let Ok(bytes) = self.from.fill_buf().await {
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let passed = end.map_or(bytes.len(), |end| end + 1);
            self.from.consume(passed);
            if end.is_some() || passed == 0 {
                return;
            }
        }
    }
}

/// Whether a last line without its end is a message all the same.
fn is_whole(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(text: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(text);
        let mut said = Vec::new();
        loop {
            match lines.next().await {
                Line::Whole(line, number) => {
                    said.push(format!("{number} {}", String::from_utf8_lossy(&line)))
                }
                Line::Bad(fault) => said.push(fault.to_string()),
                Line::Last(fault) => said.push(format!("{fault}, and the end")),
                Line::End => return said,
            }
            if said.len() > 9 {
                return said;
            }
        }
    }

    #[tokio::test]
    async fn blank_lines_count_and_say_nothing() {
        assert_eq!(all(b"{}\n\n \r\n[1]\r\n").await, ["1 {}", "4 [1]\r"]);
        assert_eq!(all(b"").await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_last_line_without_an_end_counts_where_it_is_whole() {
        assert_eq!(all(b"{}\n{\"a\": 1}").await, ["1 {}", "2 {\"a\": 1}"]);
        let cut = "the last line, 2, is cut off after 5 bytes: end each message with a line end, and the end";
        assert_eq!(all(b"{}\n{\"a\":").await, ["1 {}", cut]);
    }

    // rule: L3
    #[tokio::test]
    async fn a_line_past_the_limit_is_passed_over_and_the_next_is_read() {
        let longest = vec![b'1'; LIMIT];
        let text = [&longest[..], b"\n", &longest, b"1\n{}\n"].concat();
        let said = all(&text).await;
        assert_eq!(said[0].len(), LIMIT + 2);
        assert_eq!(said[1..], ["line 2 is longer than 16 MiB and was not read", "3 {}"]);
    }
}
