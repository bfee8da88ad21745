//! A finding about a log, and its kind.

use std::path::PathBuf;

/// One finding about a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The file, if it is about one.
    pub file: PathBuf,
    /// The line, from 1 on; 0 if it is about none.
    pub line: u64,
    /// The finding.
    pub message: String,
}

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingKind {
    /// A line is not as the line after it, or a signed statement, has it.
    Edited,
    /// Records are missing between two lines.
    Gap,
    /// A record of another log, or a number that was there before.
    Foreign,
    /// Lines that are not records and that no record accounts for.
    Unreadable,
    /// A signature is wrong.
    WrongSignature,
    /// Records are missing at the end: a signed statement is about a later one.
    Cut,
    /// A time in the future.
    Future,
    /// A time before that of the record before.
    ClockSetBack,
    /// Lines that a process has not written to their end.
    Torn,
    /// The oldest files are gone, as the bound of the log has it.
    Removed,
    /// Records after the last signed statement, which no signature covers.
    Unsigned,
    /// Statements whose signatures were not verified, for lack of their key.
    Unverified,
    /// A record of a newer version.
    Newer,
}

impl FindingKind {
    /// Returns its stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FindingKind::Edited => "edited",
            FindingKind::Gap => "gap",
            FindingKind::Foreign => "foreign",
            FindingKind::Unreadable => "unreadable",
            FindingKind::WrongSignature => "wrong-signature",
            FindingKind::Cut => "cut",
            FindingKind::Future => "future",
            FindingKind::ClockSetBack => "clock-set-back",
            FindingKind::Torn => "torn",
            FindingKind::Removed => "removed",
            FindingKind::Unsigned => "unsigned",
            FindingKind::Unverified => "unverified",
            FindingKind::Newer => "newer",
        }
    }

    /// Returns whether the log is not to be believed. Other findings are notes.
    #[must_use]
    pub const fn is_error(self) -> bool {
        match self {
            FindingKind::Edited
            | FindingKind::Gap
            | FindingKind::Foreign
            | FindingKind::Unreadable
            | FindingKind::WrongSignature
            | FindingKind::Cut
            | FindingKind::Future => true,
            FindingKind::ClockSetBack
            | FindingKind::Torn
            | FindingKind::Removed
            | FindingKind::Unsigned
            | FindingKind::Unverified
            | FindingKind::Newer => false,
        }
    }
}
