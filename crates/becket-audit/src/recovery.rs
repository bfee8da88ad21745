//! The end of a file of the log: its last record, and any incomplete lines that a process has left there.

use crate::chain::digest;
use crate::record::TornLines;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// The number of bytes that are read at first; most records are far shorter.
const FIRST_WINDOW: u64 = 16 << 10;
/// The maximum number of bytes that are read. A file with more behind its last record is not one that Becket has written,
/// and each event would wait for it.
const LAST_WINDOW: u64 = 4 << 20;

/// The part of a record that links it to the chain.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Link {
    pub(crate) version: u32,
    pub(crate) log: String,
    pub(crate) seq: u64,
    pub(crate) previous: String,
    pub(crate) at: String,
}

impl Link {
    /// Parses the link from a line; `None` if the line is not a record.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

/// The last record of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tail {
    pub(crate) log: String,
    pub(crate) seq: u64,
    pub(crate) hash: String,
}

impl Tail {
    /// Returns the number of the record after it. A forged number may be the last that there is.
    pub(crate) fn next_seq(&self) -> u64 {
        self.seq.saturating_add(1)
    }
}

/// The end of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileEnd {
    /// The last record, if there is one.
    pub(crate) tail: Option<Tail>,
    /// The lines after it that are not records, including their line feeds.
    pub(crate) torn: Option<TornLines>,
    /// True if the last line has no line feed.
    pub(crate) is_open: bool,
}

/// Reads the end of a file of `length` bytes.
///
/// # Errors
/// Errors if the file can't be read, or has too much behind its last record.
pub(crate) fn file_end(file: &mut File, length: u64) -> io::Result<FileEnd> {
    let mut window = FIRST_WINDOW.min(length);
    loop {
        file.seek(SeekFrom::Start(length - window))?;
        let mut bytes = Vec::new();
        file.by_ref().take(window).read_to_end(&mut bytes)?;
        match found(&bytes, window == length) {
            Some(end) => return Ok(end),
            None if window >= LAST_WINDOW => {
                let why = format!("its last {} MiB have no record: move it away", window >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            None => window = (window * 4).min(length),
        }
    }
}

/// Finds the last record in the end of a file; `None` if more has to be read.
fn found(bytes: &[u8], is_whole: bool) -> Option<FileEnd> {
    let is_open = bytes.last().is_some_and(|last| *last != b'\n');
    let mut end = bytes.len();
    loop {
        let line_end = if end > 0 && bytes[end - 1] == b'\n' { end - 1 } else { end };
        let start = bytes[..line_end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if start == 0 && !is_whole {
            return None;
        }
        if let Some(link) = Link::read(&bytes[start..line_end]) {
            let tail = Tail { log: link.log, seq: link.seq, hash: digest(&bytes[start..line_end]) };
            return Some(FileEnd { tail: Some(tail), torn: torn(&bytes[end..], is_open), is_open });
        }
        if start == 0 {
            return Some(FileEnd { tail: None, torn: torn(bytes, is_open), is_open });
        }
        end = start;
    }
}

fn torn(bytes: &[u8], is_open: bool) -> Option<TornLines> {
    if bytes.is_empty() {
        return None;
    }
    let mut ended = bytes.to_vec();
    if is_open {
        ended.push(b'\n');
    }
    Some(TornLines { bytes: ended.len() as u64, sha256: digest(&ended) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    const RECORD: &str = r#"{"version":1,"log":"l","seq":7,"previous":"p","at":"t","kind":"x"}"#;

    fn end(text: &str) -> FileEnd {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(text.as_bytes()).expect("it is written");
        file_end(&mut file, text.len() as u64).expect("it is read")
    }

    fn tail() -> Option<Tail> {
        Some(Tail { log: "l".into(), seq: 7, hash: digest(RECORD.as_bytes()) })
    }

    fn torn(text: &str) -> Option<TornLines> {
        Some(TornLines { bytes: text.len() as u64, sha256: digest(text.as_bytes()) })
    }

    #[test]
    fn the_last_record_is_found_behind_anything() {
        for (text, expected) in [
            (String::new(), FileEnd::default()),
            (format!("{RECORD}\n"), FileEnd { tail: tail(), torn: None, is_open: false }),
            (RECORD.to_owned(), FileEnd { tail: tail(), torn: None, is_open: true }),
            (
                format!("x\n{RECORD}\n{{\"ver"),
                FileEnd { tail: tail(), torn: torn("{\"ver\n"), is_open: true },
            ),
            (format!("{RECORD}\na\n\nb\n"), FileEnd { tail: tail(), torn: torn("a\n\nb\n"), is_open: false }),
            ("junk".into(), FileEnd { tail: None, torn: torn("junk\n"), is_open: true }),
            ("\n".into(), FileEnd { tail: None, torn: torn("\n"), is_open: false }),
        ] {
            assert_eq!(end(&text), expected, "{text}");
        }
    }

    #[test]
    fn an_end_that_is_far_too_long_is_refused() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(RECORD.as_bytes()).expect("it is written");
        let length = 1 << 40;
        file.set_len(length).expect("it is a file with a hole");
        let error = file_end(&mut file, length).expect_err("it is not a log").to_string();
        assert_eq!(error, "its last 4 MiB have no record: move it away");
    }

    #[test]
    fn a_long_end_is_read_whole() {
        let long = "x".repeat(100_000);
        let text = format!("{RECORD}\n{long}");
        assert_eq!(end(&text), FileEnd { tail: tail(), torn: torn(&format!("{long}\n")), is_open: true });
        let record = RECORD.replace("\"x\"", &format!("\"{long}\""));
        assert_eq!(
            end(&format!("{RECORD}\n{record}\n")).tail.map(|tail| tail.hash),
            Some(digest(record.as_bytes()))
        );
    }
}
