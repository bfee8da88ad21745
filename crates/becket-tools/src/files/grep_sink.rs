//! The result of a search: some of the lines that it would print, and counts of the rest.
//!
//! INVARIANT: it keeps at most [`MOST_BYTES`], and at most [`MOST_CHARS`] of a line.

use becket_base::text::cut;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use std::io;

/// The maximum size of an answer, in bytes.
pub(crate) const MOST_BYTES: usize = 64 << 10;
/// The maximum length of a line, in characters.
pub(crate) const MOST_CHARS: usize = 500;

/// The kind of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Lines that match, with their context.
    Content,
    /// The names of files with a match.
    Files,
    /// The number of matching lines, by file.
    Count,
}

/// The matches of a search.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) mode: Mode,
    pub(crate) numbers: bool,
    /// The number of lines to skip, and the number to keep.
    pub(crate) skip: usize,
    pub(crate) most: usize,
    pub(crate) lines: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) matches: u64,
    pub(crate) binary: usize,
    pub(crate) unread: usize,
    /// The number of files that a rule denies.
    pub(crate) denied: usize,
    /// True if lines around matches are shown: groups are then separated.
    pub(crate) around: bool,
    /// True if there are more lines than were kept.
    pub(crate) more: bool,
    /// True if time ran out.
    pub(crate) partial: bool,
    /// The number of lines that were skipped.
    pub(crate) passed: usize,
    bytes: usize,
}

impl Report {
    pub(crate) fn new(mode: Mode, numbers: bool, skip: usize, most: usize) -> Self {
        Self {
            mode,
            numbers,
            skip,
            most,
            lines: Vec::new(),
            files: Vec::new(),
            matches: 0,
            binary: 0,
            unread: 0,
            denied: 0,
            around: false,
            more: false,
            partial: false,
            passed: 0,
            bytes: 0,
        }
    }

    /// Adds a line of the file `name`; returns whether there is room for more.
    fn print(&mut self, name: &str, line: String) -> bool {
        if self.passed < self.skip {
            self.passed += 1;
            return true;
        }
        if self.lines.len() >= self.most || self.bytes + line.len() > MOST_BYTES {
            self.more = true;
            return false;
        }
        self.bytes += line.len() + 1;
        if self.files.last().is_none_or(|last| last != name) {
            self.files.push(name.to_owned());
        }
        self.lines.push(line);
        true
    }
}

/// The sink for the search of one file.
#[derive(Debug)]
pub(crate) struct OneFile<'a> {
    pub(crate) report: &'a mut Report,
    pub(crate) name: &'a str,
    matches: u64,
    parted: bool,
}

impl<'a> OneFile<'a> {
    pub(crate) fn new(report: &'a mut Report, name: &'a str) -> Self {
        let parted = report.around;
        Self { report, name, matches: 0, parted }
    }

    fn line(&mut self, number: Option<u64>, sign: char, line: &[u8]) -> bool {
        if std::mem::take(&mut self.parted)
            && !self.report.lines.is_empty()
            && !self.report.print(self.name, "--".into())
        {
            return false;
        }
        let text = shortened(line);
        let numbered = number.filter(|_| self.report.numbers).map(|number| format!("{number}{sign}"));
        let line = format!("{}{sign}{}{text}", self.name, numbered.unwrap_or_default());
        self.report.print(self.name, line)
    }
}

impl Sink for OneFile<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        match self.report.mode {
            Mode::Files => {
                self.matches += 1;
                Ok(false)
            }
            Mode::Count => {
                self.matches += found.lines().count() as u64;
                Ok(true)
            }
            Mode::Content => {
                for (line, at) in found.lines().zip(0..) {
                    self.matches += 1;
                    if !self.line(found.line_number().map(|first| first + at), ':', line) {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.report.mode != Mode::Content || self.line(around.line_number(), '-', around.bytes()))
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.parted = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.report.binary += 1;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> io::Result<()> {
        self.report.matches += self.matches;
        match self.report.mode {
            Mode::Files if self.matches > 0 => {
                self.report.print(self.name, self.name.to_owned());
            }
            Mode::Count if self.matches > 0 => {
                self.report.print(self.name, format!("{}:{}", self.name, self.matches));
            }
            Mode::Files | Mode::Count | Mode::Content => {}
        }
        Ok(())
    }
}

fn shortened(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Only as many bytes as can contain the shown characters, so that a huge line is not converted needlessly.
    let some = line.get(..MOST_CHARS * 4 + 4).unwrap_or(line);
    cut(&String::from_utf8_lossy(some), MOST_CHARS)
}
