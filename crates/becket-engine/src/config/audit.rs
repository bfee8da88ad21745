//! The audit log of verdicts: its mode and its place. The log itself belongs to the host.

use std::path::PathBuf;

/// The setting `audit` after C5.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditSetting {
    /// The mode of the log.
    pub mode: AuditMode,
    /// The directory of the log, absolute; `None` is the default of the host.
    pub directory: Option<PathBuf>,
    /// The file with the key that signs checkpoints; `None` means that they are signed elsewhere.
    pub key: Option<PathBuf>,
    /// The directory for a second copy of checkpoints.
    pub checkpoints: Option<PathBuf>,
    /// The number of records after which a checkpoint is signed.
    pub checkpoint_every: u64,
    /// The size up to which a file of the log grows, in bytes.
    pub max_bytes: u64,
    /// The number of files that are kept.
    pub max_files: u32,
}

/// The mode of the audit log: the consequence of a record that can't be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub enum AuditMode {
    /// Nothing is recorded.
    #[default]
    Off,
    /// The user is warned.
    On,
    /// Every action that can be blocked is blocked.
    Required,
}

impl AuditMode {
    /// Returns the word that the setting uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            AuditMode::Off => "off",
            AuditMode::On => "on",
            AuditMode::Required => "required",
        }
    }
}

impl Default for AuditSetting {
    /// Returns the setting of a log that is off: checkpoints every 256 records, ten files of 8 MiB.
    fn default() -> Self {
        AuditSetting {
            mode: AuditMode::Off,
            directory: None,
            key: None,
            checkpoints: None,
            checkpoint_every: 256,
            max_bytes: 8 << 20,
            max_files: 10,
        }
    }
}
