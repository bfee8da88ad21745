//! Some lines of a text, read as a stream: a file is never in memory as a whole, however long it or its lines are.
//!
//! INVARIANT: at most [`MOST_BYTES`] and one line are kept. A file with a NUL byte in its beginning, or in the lines
//! that are shown, is not a text.

use crate::blocking::{Stop, StoppableReader};
use std::io::{self, BufRead, BufReader, Read};

/// The default maximum number of lines.
pub(crate) const MOST_LINES: usize = 2_000;
/// The maximum number of bytes.
pub(crate) const MOST_BYTES: usize = 256 << 10;
/// The maximum number of characters of a line that are shown.
pub(crate) const MOST_CHARS: usize = 2_000;
/// The number of bytes of a line that contain these characters.
const LINE_BYTES: usize = MOST_CHARS * 4 + 4;

/// A range of lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// The first line, starting from 1.
    first: usize,
    most: usize,
}

impl Range {
    /// Creates a range. An offset of 0 is the first line, too.
    pub(crate) fn new(offset: Option<usize>, limit: Option<usize>) -> Self {
        Self { first: offset.unwrap_or(1).max(1), most: limit.unwrap_or(MOST_LINES) }
    }
}

/// The shown lines, with counts for the rest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The lines, without line ends.
    pub(crate) lines: Vec<String>,
    /// The number of the first line.
    pub(crate) start: usize,
    /// The number of lines of the whole text.
    pub(crate) total: usize,
    /// The number of shortened lines.
    pub(crate) cut: usize,
    /// True if the page ended because it was full.
    pub(crate) full: bool,
}

impl Page {
    /// Returns the lines as one text without a final newline.
    pub(crate) fn content(&self) -> String {
        self.lines.join("\n")
    }
}

/// Reads the lines of `range` and counts the rest; `None` for a binary file.
pub(crate) fn read(text: impl Read, range: Range, stop: &Stop) -> io::Result<Option<Page>> {
    let mut text = BufReader::with_capacity(1 << 16, StoppableReader::new(text, stop));
    if text.fill_buf()?.contains(&0) {
        return Ok(None);
    }
    skip_mark(&mut text)?;
    let mut page = Page { lines: Vec::new(), start: range.first, total: 0, cut: 0, full: false };
    let (mut line, mut kept) = (Vec::new(), 0);
    loop {
        let wanted = !page.full && page.total + 1 >= range.first && page.lines.len() < range.most;
        let Some(cut) = next_line(&mut text, wanted, &mut line)? else { return Ok(Some(page)) };
        page.total += 1;
        if !wanted {
            continue;
        }
        if line.contains(&0) {
            return Ok(None);
        }
        let (shown, cut) = shorten(&line, cut);
        kept += shown.len() + 1;
        page.full = kept > MOST_BYTES;
        if !page.full {
            page.lines.push(shown);
            page.cut += usize::from(cut);
        }
    }
}

/// Skips a byte-order mark, which is not text.
fn skip_mark(text: &mut impl BufRead) -> io::Result<()> {
    if text.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        text.consume(3);
    }
    Ok(())
}

/// Reads the beginning of the next line, without its end; returns whether the line is longer. `None` at the end of the
/// text.
fn next_line(text: &mut impl BufRead, wanted: bool, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let (mut some, mut cut) = (false, false);
    loop {
        let chunk = text.fill_buf()?;
        if chunk.is_empty() {
            return Ok(some.then_some(cut));
        }
        some = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
        if wanted {
            let room = LINE_BYTES.saturating_sub(line.len());
            cut |= part.len() > room;
            line.extend_from_slice(part.get(..room).unwrap_or(part));
        }
        let used = part.len() + usize::from(end.is_some());
        text.consume(used);
        if end.is_some() {
            return Ok(Some(cut));
        }
    }
}

/// Returns the line as shown, and whether it was shortened.
fn shorten(line: &[u8], cut: bool) -> (String, bool) {
    let line = line.strip_suffix(b"\r").filter(|_| !cut).unwrap_or(line);
    let text = String::from_utf8_lossy(line);
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => (text.get(..end).unwrap_or_default().to_owned(), true),
        None => (text.into_owned(), cut),
    }
}
