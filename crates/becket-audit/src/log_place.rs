//! The files of a log.

use becket_engine::config::AuditSetting;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The place of a user's log: its current file, and the names of the files beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPlace {
    directory: PathBuf,
    name: String,
}

impl LogPlace {
    /// Returns the place of the log of this process's user: in the configured directory, otherwise below the home
    /// directory; `None` if there is neither.
    #[must_use]
    pub fn of(setting: &AuditSetting, home: Option<&Path>) -> Option<Self> {
        let directory = match (&setting.directory, home) {
            (Some(directory), _) => directory.clone(),
            (None, Some(home)) => home.join(".becket/audit"),
            (None, None) => return None,
        };
        Some(LogPlace { directory, name: user() })
    }

    /// Returns the place of the log whose current file is `path`.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        LogPlace { directory: path.parent().unwrap_or(Path::new("")).to_owned(), name }
    }

    /// Returns the path of the current file.
    #[must_use]
    pub fn current(&self) -> PathBuf {
        self.directory.join(format!("{}.jsonl", self.name))
    }

    /// Returns the path of the file that writers lock.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.directory.join(format!("{}.lock", self.name))
    }

    /// Returns the path of the file of checkpoints in a second place.
    #[must_use]
    pub fn checkpoints(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.checkpoints.jsonl", self.name))
    }

    /// Returns the path of a full file whose last record has the number `seq`.
    #[must_use]
    pub(crate) fn full(&self, seq: u64) -> PathBuf {
        self.directory.join(format!("{}.{seq:012}.jsonl", self.name))
    }

    /// Returns the paths of the full files, oldest first.
    ///
    /// # Errors
    /// Errors if the directory can't be read.
    pub(crate) fn full_files(&self) -> io::Result<Vec<PathBuf>> {
        let is_full = |name: &str| {
            let number = name.strip_prefix(&self.name)?.strip_prefix('.')?.strip_suffix(".jsonl")?;
            (number.len() >= 12 && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            if entry.file_name().to_str().and_then(is_full).is_some() {
                files.push(entry.path());
            }
        }
        files.sort();
        Ok(files)
    }
}

/// Returns the user's part of file names: a log is never shared, as only its owner can write it.
#[cfg(unix)]
fn user() -> String {
    format!("audit-{}", rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn user() -> String {
    "audit".to_owned()
}
