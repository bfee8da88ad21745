//! Reads logs of records. A line that can't be read does not affect the others.

use super::report::UnreadLines;
use becket_base::text_file;
use becket_fire::times::{LONGEST_LINE, TimeRecord, VERSION};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The beginning of a record.
const BEGINNING: &[u8] = b"{\"version\":";

/// The reason why records can't be read.
#[derive(Debug, thiserror::Error)]
#[error("`{}` can't be read: {why}", path.display())]
pub struct UnreadLog {
    /// The file.
    pub path: PathBuf,
    /// The system's error.
    pub why: io::Error,
}

/// Reads the records of a log.
pub(super) fn read(
    path: &Path,
    unread: &mut UnreadLines,
    mut take: impl FnMut(TimeRecord),
) -> Result<(), UnreadLog> {
    let failed = |why| UnreadLog { path: path.to_owned(), why };
    let mut lines = BufReader::new(text_file::open(path).map_err(failed)?);
    let mut line = Vec::new();
    while let Some(is_whole) = next(&mut lines, &mut line).map_err(failed)? {
        match is_whole {
            true => record(&line, unread).into_iter().for_each(&mut take),
            false => unread.too_long += 1,
        }
    }
    Ok(())
}

/// Reads a line; false if it is too long, and `None` at the end.
fn next(lines: &mut BufReader<File>, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let read = lines.take(LONGEST_LINE + 1).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(None);
    }
    let is_whole = line.ends_with(b"\n") || read as u64 <= LONGEST_LINE;
    if !is_whole {
        lines.skip_until(b'\n')?;
    }
    Ok(Some(is_whole))
}

fn record(line: &[u8], unread: &mut UnreadLines) -> Option<TimeRecord> {
    #[derive(Deserialize)]
    struct Head {
        version: u64,
    }
    if line.trim_ascii().is_empty() {
        return None;
    }
    if serde_json::from_slice::<Head>(line).is_ok_and(|head| head.version > u64::from(VERSION)) {
        unread.newer += 1;
        return None;
    }
    let read = serde_json::from_slice(line).ok();
    unread.broken += u64::from(read.is_none());
    read.or_else(|| after_a_cut(line))
}

/// Returns the record that follows one that was cut: the disk was full, and the next record was appended to the same
/// line.
fn after_a_cut(line: &[u8]) -> Option<TimeRecord> {
    let at = line.windows(BEGINNING.len()).rposition(|part| part == BEGINNING).filter(|at| *at > 0)?;
    let record: TimeRecord = serde_json::from_slice(&line[at..]).ok()?;
    (record.version <= VERSION).then_some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"version":1,"host":"run","at":5,"session":"s","event":"Stop","us":7,"runs":[]}"#;

    fn read_text(text: &[u8]) -> (usize, UnreadLines) {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("x.jsonl");
        std::fs::write(&file, text).unwrap();
        let (mut count, mut unread) = (0, UnreadLines::default());
        read(&file, &mut unread, |_| count += 1).unwrap();
        (count, unread)
    }

    #[test]
    fn a_broken_line_costs_only_itself() {
        let unread = |broken, newer, too_long| UnreadLines { broken, newer, too_long };
        let newer = RECORD.replace("\"version\":1", "\"version\":2");
        let shape = r#"{"version":9007199254740993,"times":{}}"#;
        for (lines, count, expected) in [
            (vec![RECORD.as_bytes(), RECORD.as_bytes()], 2, unread(0, 0, 0)),
            (vec![b"", b"  ", RECORD.as_bytes()], 1, unread(0, 0, 0)),
            (vec![b"{\"version\":1", b"[]", b"null", b"\xff\xfe", RECORD.as_bytes()], 1, unread(4, 0, 0)),
            (vec![&RECORD.as_bytes()[..40], RECORD.as_bytes()], 1, unread(1, 0, 0)),
            (vec![newer.as_bytes(), shape.as_bytes(), RECORD.as_bytes()], 1, unread(0, 2, 0)),
            // An impossible number, an unknown status, and a field that this version does not know.
            (vec![RECORD.replace(":7", ":-7").as_bytes()], 0, unread(1, 0, 0)),
            (vec![RECORD.replace(":7", ":7,\"new\":[1]").as_bytes()], 1, unread(0, 0, 0)),
            (vec![RECORD.replace("Stop", "St\u{0}op").as_bytes()], 0, unread(1, 0, 0)),
        ] {
            assert_eq!(read_text(&lines.join(&b'\n')), (count, expected), "{lines:?}");
        }
        // Its end is missing, and the next one follows on the same line.
        let glued = [&RECORD.as_bytes()[..40], RECORD.as_bytes(), b"\n"].concat();
        assert_eq!(read_text(&glued), (1, unread(1, 0, 0)));
        let bytes = RECORD.replace("\"s\"", "\"X\"").into_bytes();
        let not_utf8: Vec<u8> = bytes.iter().map(|byte| if *byte == b'X' { 0xff } else { *byte }).collect();
        assert_eq!(read_text(&not_utf8), (0, unread(1, 0, 0)));
    }

    #[test]
    fn a_line_of_any_length_is_passed_over_in_little_memory() {
        let long = format!("{}\n{RECORD}\n", "x".repeat(3 * LONGEST_LINE as usize));
        assert_eq!(read_text(long.as_bytes()), (1, UnreadLines { broken: 0, newer: 0, too_long: 1 }));
        assert_eq!(read_text(&vec![b'x'; LONGEST_LINE as usize + 1]).1.too_long, 1);
    }

    #[test]
    fn a_directory_is_no_log() {
        let why = read(Path::new("/"), &mut UnreadLines::default(), |_| ()).unwrap_err();
        assert!(why.to_string().contains("not a file"), "{why}");
    }
}
