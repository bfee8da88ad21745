//! The number of lines that a rewind adds and removes.

use becket_base::line_diff;
use std::fs;
use std::io;
use std::iter::Sum;
use std::path::Path;

/// The lines that change between two states of files. A file that is not UTF-8 has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// The lines of the new state alone.
    pub insertions: usize,
    /// The lines of the old state alone.
    pub deletions: usize,
}

impl LineCounts {
    /// Counts the lines that change from one file to another; `None` is a file that does not exist. Files that can't be
    /// read as text count nothing.
    pub(super) fn between(old: Option<&Path>, new: Option<&Path>) -> Self {
        let (Some(old), Some(new)) = (text(old), text(new)) else { return Self::default() };
        let hunks = line_diff::hunks(&old, &new, 0);
        let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
        let count = |sign| lines().filter(|line| line.sign == sign).count();
        LineCounts { insertions: count('+'), deletions: count('-') }
    }
}

impl Sum for LineCounts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| LineCounts {
            insertions: sum.insertions + one.insertions,
            deletions: sum.deletions + one.deletions,
        })
    }
}

/// Returns the text of a file, which is empty if there is none; `None` if it can't be read.
fn text(path: Option<&Path>) -> Option<String> {
    let Some(path) = path else { return Some(String::new()) };
    match fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(String::new()),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_bytes_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            fs::write(&path, bytes).unwrap();
            path
        };
        let (one, two) = (file("one", b"a\nb\nc\n"), file("two", b"a\nB\nc\nd\n"));
        let counts = |insertions, deletions| LineCounts { insertions, deletions };
        assert_eq!(LineCounts::between(Some(&one), Some(&two)), counts(2, 1));
        assert_eq!(LineCounts::between(Some(&one), None), counts(0, 3));
        assert_eq!(LineCounts::between(Some(&dir.path().join("gone")), Some(&two)), counts(4, 0));
        let binary = file("binary", b"\xff\n\xfe\n");
        assert_eq!(LineCounts::between(Some(&binary), Some(&one)), counts(0, 0));
    }
}
