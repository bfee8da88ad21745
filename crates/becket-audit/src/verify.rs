//! The verification of a log: the chain of its lines, and the signed statements about them.
//!
//! It trusts nothing in the log, and never stops early: every finding is a value, and data that can't be read is a
//! finding.

use crate::chain::{GENESIS, digest};
use crate::checkpoint::Checkpoint;
use crate::finding::{Finding, FindingKind};
use crate::key::{SigningKey, VerifyingKey};
use crate::log_place::LogPlace;
use crate::record::{AuditRecord, RecordBody, TornLines, VERSION};
use crate::recovery::{Link, Tail};
use becket_base::text::hex;
use becket_base::text_file;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// The maximum length of a line, in bytes.
const LONGEST_LINE: u64 = 16 << 20;
/// The maximum number of attempts to open all files of a log between two rotations.
const MOST_ATTEMPTS: usize = 100;
/// The maximum number of findings that are kept.
const MOST_FINDINGS: usize = 1_000;
/// The difference between two clocks that is tolerated.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(5);

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The number of files.
    pub files: usize,
    /// The number of records.
    pub records: u64,
    /// The numbers of the first and the last record.
    pub range: Option<(u64, u64)>,
    /// The last record that a verified signature covers.
    pub signed_to: Option<u64>,
    /// The last record.
    pub(crate) last: Option<Tail>,
    /// The findings, in the order of the log.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Signs a statement about the last record; `None` if there is no record.
    #[must_use]
    pub fn sign(&self, key: &SigningKey, at: Timestamp) -> Option<Checkpoint> {
        let Tail { log, seq, hash } = self.last.as_ref()?;
        Some(Checkpoint::sign(key, log, *seq, hash, &format!("{at:.6}")))
    }

    /// Returns whether the log is intact.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.findings.iter().any(|finding| finding.kind.is_error())
    }
}

/// The reason why a log can't be verified.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` can't be read: {why}")]
pub struct VerifyError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: io::Error,
}

/// Verifies a log, and compares it with the checkpoints in `exported`, a file in a second place. Without a key, no
/// signature is verified. `now` is the current time.
///
/// # Errors
/// Errors if a file can't be read.
pub fn verify(
    place: &LogPlace,
    exported: Option<&Path>,
    key: Option<&VerifyingKey>,
    now: Timestamp,
) -> Result<Report, VerifyError> {
    let mut walk = Walk::new(key, now);
    if let Some(path) = exported {
        walk.read_exported(path)?;
    }
    let files =
        LogFiles::of(place)?.for_each_line(place, |path, number, line| walk.line(path, number, line))?;
    walk.report.files = files;
    Ok(walk.finish(place))
}

/// Returns the readable records of a log, oldest first.
///
/// # Errors
/// Errors if a file can't be read.
pub fn records(place: &LogPlace) -> Result<Vec<AuditRecord>, VerifyError> {
    let mut records = Vec::new();
    LogFiles::of(place)?.for_each_line(place, |_, _, line| {
        records.extend(serde_json::from_slice::<AuditRecord>(line.trim_ascii_end()).ok());
    })?;
    Ok(records)
}

/// The maximum number of full files that are kept open, the oldest ones: these are the next that a writer removes.
const MOST_OPEN: usize = 256;

/// The files of a log at one moment. A writer may rename the current one, or remove the oldest ones, while they are read.
struct LogFiles {
    full: Vec<FullFile>,
    current: Option<File>,
}

/// A full file, open if it may soon be removed.
struct FullFile {
    path: PathBuf,
    file: Option<File>,
}

impl LogFiles {
    /// Finds the files, and opens the current one and the oldest ones, so that they are read as they are now even if they are
    /// renamed or removed meanwhile.
    fn of(place: &LogPlace) -> Result<Self, VerifyError> {
        let list = || place.full_files().map_err(|why| VerifyError { path: place.current(), why });
        let mut paths = list()?;
        for _ in 0..MOST_ATTEMPTS {
            // Something else in its place is an error, not a log without a current file.
            let is_there = place.current().symlink_metadata().is_ok() || paths.is_empty();
            let current = is_there.then(|| open(&place.current()));
            let full: Result<Vec<FullFile>, VerifyError> =
                paths.iter().enumerate().map(|(at, path)| FullFile::of(path, at < MOST_OPEN)).collect();
            let now = list()?;
            if now == paths {
                return Ok(LogFiles { full: full?, current: current.transpose()? });
            }
            paths = now;
        }
        let why = io::Error::new(io::ErrorKind::ResourceBusy, "its files are renamed too often");
        Err(VerifyError { path: place.current(), why })
    }

    /// Calls `each` for every line, oldest first; returns the number of files.
    fn for_each_line(
        self,
        place: &LogPlace,
        mut each: impl FnMut(&Path, u64, &[u8]),
    ) -> Result<usize, VerifyError> {
        let files = self.full.len() + usize::from(self.current.is_some());
        for FullFile { path, file } in self.full {
            let file = match file {
                Some(file) => file,
                None => open(&path)?,
            };
            for_each_line(&path, file, |number, line| each(&path, number, line))?;
        }
        if let Some(file) = self.current {
            let path = place.current();
            for_each_line(&path, file, |number, line| each(&path, number, line))?;
        }
        Ok(files)
    }
}

impl FullFile {
    fn of(path: &Path, is_opened: bool) -> Result<Self, VerifyError> {
        let file = is_opened.then(|| open(path)).transpose()?;
        Ok(FullFile { path: path.to_owned(), file })
    }
}

fn open(path: &Path) -> Result<File, VerifyError> {
    text_file::open(path).map_err(|why| VerifyError { path: path.to_owned(), why })
}

/// Calls `each` for every line of a file, including its line feed if it has one.
fn for_each_line(path: &Path, file: File, mut each: impl FnMut(u64, &[u8])) -> Result<(), VerifyError> {
    let failed = |why| VerifyError { path: path.to_owned(), why };
    let mut file = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            break;
        }
        each(number, &line);
    }
    Ok(())
}

/// The previous record, which the next one is compared with.
struct Before {
    tail: Tail,
    at: Option<Timestamp>,
}

/// Lines that are not records, for which the next record has to account.
#[derive(Default)]
struct Unexplained {
    bytes: u64,
    hasher: Sha256,
    file: PathBuf,
    line: u64,
}

impl Unexplained {
    /// Adds a line. Only its hash is kept, since there may be any number of them.
    fn add(&mut self, line: &[u8], file: &Path, number: u64) {
        if self.bytes == 0 {
            (self.file, self.line) = (file.to_owned(), number);
        }
        self.bytes += line.len() as u64;
        self.hasher.update(line);
    }

    /// Takes the lines: their length and hash, and the place of the first.
    fn take(&mut self) -> (TornLines, PathBuf, u64) {
        let Unexplained { bytes, hasher, file, line } = std::mem::take(self);
        (TornLines { bytes, sha256: hex(&hasher.finalize()) }, file, line)
    }
}

struct Walk<'a> {
    key: Option<&'a VerifyingKey>,
    now: Timestamp,
    report: Report,
    before: Option<Before>,
    unexplained: Unexplained,
    /// Statements from the second place, by the number of their line.
    exported: HashMap<u64, Vec<Checkpoint>>,
    exported_file: PathBuf,
    unverified: u64,
}

impl<'a> Walk<'a> {
    fn new(key: Option<&'a VerifyingKey>, now: Timestamp) -> Self {
        Walk {
            key,
            now,
            report: Report::default(),
            before: None,
            unexplained: Unexplained::default(),
            exported: HashMap::new(),
            exported_file: PathBuf::new(),
            unverified: 0,
        }
    }

    fn find(&mut self, kind: FindingKind, file: &Path, line: u64, message: impl Into<String>) {
        if self.report.findings.len() < MOST_FINDINGS {
            self.report.findings.push(Finding { kind, file: file.to_owned(), line, message: message.into() });
        }
    }

    fn read_exported(&mut self, path: &Path) -> Result<(), VerifyError> {
        path.clone_into(&mut self.exported_file);
        let mut statements = Vec::new();
        for_each_line(path, open(path)?, |number, line| {
            statements.push((number, serde_json::from_slice::<Checkpoint>(line.trim_ascii_end()).ok()));
        })?;
        for (number, statement) in statements {
            match statement {
                Some(statement) => {
                    // An unsigned statement proves nothing.
                    if self.is_signed(&statement, path, number) {
                        self.exported.entry(statement.seq).or_default().push(statement);
                    }
                }
                None => self.find(FindingKind::Unreadable, path, number, "the line is not a checkpoint"),
            }
        }
        Ok(())
    }

    /// Verifies a signature, if there is a key.
    fn is_signed(&mut self, statement: &Checkpoint, file: &Path, line: u64) -> bool {
        let Some(key) = self.key else {
            self.unverified += 1;
            return true;
        };
        let is_signed = statement.is_signed_by(key);
        if !is_signed {
            let message = format!(
                "the key `{}` has not signed this checkpoint of record {}",
                key.fingerprint(),
                statement.seq
            );
            self.find(FindingKind::WrongSignature, file, line, message);
        }
        is_signed
    }

    fn line(&mut self, file: &Path, number: u64, line: &[u8]) {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let Some(link) = Link::read(text) else {
            return self.unexplained.add(line, file, number);
        };
        let record: Option<AuditRecord> = serde_json::from_slice(text).ok();
        self.explain(record.as_ref());
        self.report.records += 1;
        self.chain(&link, file, number);
        if link.version > VERSION {
            self.find(FindingKind::Newer, file, number, format!("the record has version {}", link.version));
        } else if record.is_none() {
            self.find(FindingKind::Unreadable, file, number, "the record can't be parsed");
        }
        let at = self.time(&link, file, number);
        if let Some(AuditRecord { body: RecordBody::Checkpoint(statement), .. }) = &record {
            self.statement(statement, &link, file, number);
        }
        let hash = digest(text);
        self.compare_exported(&link, &hash, file, number);
        let first = self.report.range.map_or(link.seq, |(first, _)| first);
        self.report.range = Some((first, link.seq));
        self.before = Some(Before { tail: Tail { log: link.log, seq: link.seq, hash }, at });
    }

    /// Compares lines that are not records with the record that follows them.
    fn explain(&mut self, record: Option<&AuditRecord>) {
        let (found, file, line) = self.unexplained.take();
        let torn = match record {
            Some(AuditRecord { body: RecordBody::Torn(torn), .. }) => Some(torn),
            Some(_) | None => None,
        };
        match torn {
            Some(torn) if *torn == found => {
                let message =
                    format!("{} bytes were not written completely; they are not a record", found.bytes);
                self.find(FindingKind::Torn, &file, line, message);
            }
            Some(_) => {
                self.find(FindingKind::Edited, &file, line, "the torn lines differ from the recorded ones");
            }
            None if found.bytes > 0 => {
                let message =
                    format!("{} bytes are not records, and no record accounts for them", found.bytes);
                self.find(FindingKind::Unreadable, &file, line, message);
            }
            None => {}
        }
    }

    fn chain(&mut self, link: &Link, file: &Path, number: u64) {
        let Some(Before { tail: before, .. }) = &self.before else {
            if link.seq > 0 {
                let message =
                    format!("the log begins with record {}; the earlier files were removed", link.seq);
                self.find(FindingKind::Removed, file, number, message);
            } else if link.previous != GENESIS {
                self.find(FindingKind::Edited, file, number, "the first record is not the first of a log");
            }
            return;
        };
        let (seq, last) = (link.seq, before.seq);
        if link.log != before.log {
            self.find(FindingKind::Foreign, file, number, format!("record {seq} belongs to another log"));
        } else if seq > last.saturating_add(1) {
            let message = format!("the records {} to {} are missing", last + 1, seq - 1);
            self.find(FindingKind::Gap, file, number, message);
        } else if seq <= last {
            self.find(FindingKind::Foreign, file, number, format!("record {seq} follows record {last}"));
        } else if link.previous != before.hash {
            let message =
                format!("record {last} does not match its hash in record {seq}: one of them was edited");
            self.find(FindingKind::Edited, file, number, message);
        }
    }

    fn time(&mut self, link: &Link, file: &Path, number: u64) -> Option<Timestamp> {
        let Ok(at) = link.at.parse::<Timestamp>() else {
            self.find(FindingKind::Unreadable, file, number, format!("`{}` is not a time", link.at));
            return None;
        };
        let before = self.before.as_ref().and_then(|before| before.at);
        if at.duration_since(self.now) > CLOCK_TOLERANCE {
            self.find(
                FindingKind::Future,
                file,
                number,
                format!("the record is dated {at}, which is in the future"),
            );
        } else if let Some(before) = before.filter(|before| before.duration_since(at) > CLOCK_TOLERANCE) {
            let message =
                format!("the record is dated {at}, and the one before {before}: a clock was set back");
            self.find(FindingKind::ClockSetBack, file, number, message);
        }
        Some(at)
    }

    /// Checks a statement in the log about the previous line.
    fn statement(&mut self, statement: &Checkpoint, link: &Link, file: &Path, number: u64) {
        let is_about_it = statement.log == link.log
            && statement.hash == link.previous
            && Some(statement.seq) == link.seq.checked_sub(1);
        if !is_about_it {
            let message = format!("the checkpoint is not about record {}", link.seq.saturating_sub(1));
            self.find(FindingKind::Edited, file, number, message);
        } else if self.is_signed(statement, file, number) && self.key.is_some() {
            self.report.signed_to = Some(statement.seq);
        }
    }

    fn compare_exported(&mut self, link: &Link, hash: &str, file: &Path, number: u64) {
        for statement in self.exported.remove(&link.seq).unwrap_or_default() {
            if statement.log != link.log {
                let message = format!("the checkpoint of record {} is of another log", link.seq);
                self.find(FindingKind::Foreign, file, number, message);
            } else if statement.hash != hash {
                let message =
                    format!("record {} is not the one that was signed at {}", link.seq, statement.at);
                self.find(FindingKind::Edited, file, number, message);
            } else if self.key.is_some() {
                self.report.signed_to = self.report.signed_to.max(Some(link.seq));
            }
        }
    }

    fn finish(mut self, place: &LogPlace) -> Report {
        let current = place.current();
        let (found, file, line) = self.unexplained.take();
        if found.bytes > 0 {
            let message = format!("the last {} bytes were not written completely", found.bytes);
            self.find(FindingKind::Torn, &file, line, message);
        }
        self.report.last = self.before.take().map(|before| before.tail);
        let last = self.report.range.map(|(_, last)| last);
        let first = self.report.range.map_or(0, |(first, _)| first);
        // Statements about records whose files were removed say nothing about the rest.
        let beyond = self.exported.keys().copied().filter(|seq| *seq >= first).max();
        if let Some(beyond) = beyond.filter(|seq| last.is_none_or(|last| *seq > last)) {
            let from = last.map_or(0, |last| last.saturating_add(1));
            let message = format!(
                "the records {from} to {beyond}, at least, are missing at the end: record {beyond} was signed"
            );
            let exported = self.exported_file.clone();
            self.find(FindingKind::Cut, &exported, 0, message);
        }
        if self.unverified > 0 {
            let message = format!("{} signatures were not verified: there is no key", self.unverified);
            self.find(FindingKind::Unverified, &current, 0, message);
        }
        let covered = self.report.signed_to.map_or(0, |seq| seq.saturating_add(1)).max(first);
        let unsigned = last.map_or(0, |last| last.saturating_add(1).saturating_sub(covered));
        if unsigned > 0 {
            let message = format!(
                "no checkpoint covers the last {unsigned} records: a change to them, or a cut after them, can't be seen"
            );
            self.find(FindingKind::Unsigned, &current, 0, message);
        }
        self.report
    }
}

#[cfg(test)]
mod tests;
