//! The agent's lines, none of which loses its message: half a surrogate pair, which JavaScript and Python write
//! (`"\ud83d"`) for a text that is cut off in the middle of a character, bytes that are not UTF-8, and lines that are too
//! long, which are answered with an error.

use becket_model::interpret::parse_object;
use serde_json::{Value, json};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};

/// The longest line that the parser of the protocol reads.
const LONGEST: usize = 16 * 1024 * 1024;

/// A reader of lines that replaces half a surrogate pair, and bytes that are not UTF-8, by U+FFFD. A request that is too
/// long becomes one that is answered with an error. All other lines stay as they are.
pub(super) struct MendedReader<R> {
    from: BufReader<R>,
    /// The line so far.
    line: Vec<u8>,
    /// A complete line, and the number of its bytes that are read.
    done: (Vec<u8>, usize),
}

impl<R: AsyncRead> MendedReader<R> {
    /// Creates a reader.
    pub(super) fn new(from: R) -> Self {
        MendedReader { from: BufReader::new(from), line: Vec::new(), done: (Vec::new(), 0) }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MendedReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let (line, read) = &mut self.done;
            let rest = line.get(*read..).unwrap_or_default();
            if !rest.is_empty() {
                let count = rest.len().min(buffer.remaining());
                buffer.put_slice(&rest[..count]);
                *read += count;
                return Poll::Ready(Ok(()));
            }
            let this = &mut *self;
            let bytes = ready!(Pin::new(&mut this.from).poll_fill_buf(context))?;
            let is_end = bytes.is_empty();
            let line_end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let taken = line_end.unwrap_or(bytes.len());
            this.line.extend_from_slice(&bytes[..taken]);
            Pin::new(&mut this.from).consume(taken);
            if is_end && this.line.is_empty() {
                return Poll::Ready(Ok(()));
            }
            if is_end || line_end.is_some() {
                this.done = (mended(std::mem::take(&mut this.line)), 0);
            }
        }
    }
}

/// Returns a line that the parser of the protocol can read, if there is one.
fn mended(line: Vec<u8>) -> Vec<u8> {
    if line.len() > LONGEST {
        return too_long(&line).unwrap_or(line);
    }
    if std::str::from_utf8(&line).is_err() {
        return mended(String::from_utf8_lossy(&line).into_owned().into_bytes());
    }
    // Only these escapes can be half a pair.
    if !line.windows(3).any(|escape| matches!(escape, [b'\\', b'u', b'd' | b'D'])) {
        return line;
    }
    let text = std::str::from_utf8(&line).ok();
    let broken = text.filter(|text| serde_json::from_str::<Value>(text).is_err());
    match broken.and_then(|text| parse_object(text).ok()) {
        Some(message) => format!("{}\n", Value::Object(message)).into_bytes(),
        None => line,
    }
}

/// Returns a request with the id of one that is too long, whose method does not exist: the error of the answer names it.
fn too_long(line: &[u8]) -> Option<Vec<u8>> {
    #[derive(serde::Deserialize)]
    struct Identified {
        id: Value,
    }
    let Identified { id } = serde_json::from_slice(line).ok()?;
    let method = format!("becket: the message has more than {LONGEST} bytes");
    Some(format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method})).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    // rule: O11
    #[tokio::test]
    async fn only_a_line_with_half_a_pair_changes() {
        let whole = "{ \"a\": \"\\ud83d\\ude00\" , \"n\": 1.00}\nlog \\ud83d\n\n";
        let lines =
            [whole, "{\"a\":\"half \\ud83d\"}\n", "{\"a\":[\"\\udc00\"]}\n", "{\"last\": 1}"].concat();
        let mut read = String::new();
        MendedReader::new(lines.as_bytes()).read_to_string(&mut read).await.unwrap();
        let expected =
            [whole, "{\"a\":\"half \u{fffd}\"}\n", "{\"a\":[\"\u{fffd}\"]}\n", "{\"last\": 1}"].concat();
        assert_eq!(read, expected);
        let not_utf8 = b"{\"id\":1,\"a\":\"\xff\"}\n";
        let mut read = String::new();
        MendedReader::new(&not_utf8[..]).read_to_string(&mut read).await.unwrap();
        assert_eq!(read, "{\"id\":1,\"a\":\"\u{fffd}\"}\n");
        // Bytes in pieces, and a reader that takes few of them.
        let (mut to, from) = tokio::io::duplex(3);
        let all = lines.clone();
        tokio::spawn(async move { tokio::io::AsyncWriteExt::write_all(&mut to, all.as_bytes()).await });
        let mut reader = MendedReader::new(from);
        let (mut read, mut piece) = (Vec::new(), [0; 2]);
        while let Ok(count @ 1..) = reader.read(&mut piece).await {
            read.extend_from_slice(&piece[..count]);
        }
        assert_eq!(String::from_utf8(read).unwrap(), expected);
    }

    #[test]
    fn a_request_that_is_too_long_is_one_that_gets_an_answer() {
        let text = "x".repeat(LONGEST);
        let line =
            format!("{{\"method\":\"tools/call\",\"params\":{{\"a\":\"{text}\"}},\"id\":\"seven\"}}\n");
        let found: Value = serde_json::from_slice(&mended(line.into_bytes())).unwrap();
        assert_eq!(found["id"], "seven");
        assert!(found["method"].as_str().unwrap().contains("more than 16777216 bytes"), "{found}");
        // A notification has no answer.
        let notification = format!("{{\"method\":\"{text}\"}}\n").into_bytes();
        assert_eq!(mended(notification.clone()), notification);
    }
}
