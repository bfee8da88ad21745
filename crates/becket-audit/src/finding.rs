//! A finding about a log, and its kind.

use std::path::PathBuf;

/// One finding about a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The file, if the finding is about one.
    pub file: PathBuf,
    /// The line, starting from 1; 0 if the finding is not about a line.
    pub line: u64,
    /// The description.
    pub message: String,
}

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingKind {
    /// A line differs from the hash of it in the next line or in a signed statement.
    Edited,
    /// Records are missing between two lines.
    Gap,
    /// A record belongs to another log, or repeats a number.
    Foreign,
    /// Lines are not records, and no record accounts for them.
    Unreadable,
    /// A signature is wrong.
    WrongSignature,
    /// Records are missing at the end: a signed statement covers a later one.
    Cut,
    /// A record is dated in the future.
    Future,
    /// A record is dated before the previous one.
    ClockSetBack,
    /// Lines were not written completely.
    Torn,
    /// The oldest files were removed, as the limits of the log require.
    Removed,
    /// Records follow the last signed statement, so no signature covers them.
    Unsigned,
    /// Signatures of statements were not verified because the key is missing.
    Unverified,
    /// A record has a newer version.
    Newer,
}

impl FindingKind {
    /// Returns the stable name of the kind.
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

    /// Returns whether the log can't be trusted. Other findings are notes.
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
