//! One small file for each pending hook, so that other processes can see what is running. It is replaced atomically,
//! and removed when the hook has ended.
//!
//! Contains no secret: neither environment nor input. The label of a command is shown everywhere else, too.

use super::PendingState;
use super::registry::Adoption;
use crate::host::private_files::make_dir;
use crate::report::background_id::BackgroundId;
use becket_base::private_file::{self, Replacement};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The directory in a session directory that contains the files.
pub(super) const DIRECTORY: &str = "background";

/// The content of a file. Fields are added, never renamed: readers may be older or newer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) id: String,
    pub(super) session: String,
    pub(super) event: String,
    pub(super) label: String,
    pub(super) source: String,
    pub(super) location: String,
    pub(super) state: StateName,
    /// The time at which it entered that state, in milliseconds since 1970.
    pub(super) since_ms: u64,
    /// The time limit of the run, in milliseconds.
    pub(super) limit_ms: u64,
    pub(super) owner: OwnerRecord,
}

/// The serialized form of [`PendingState`].
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StateName {
    Waiting,
    Running,
}

/// The process that runs the hook; a pid alone may be reused later.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OwnerRecord {
    pub(super) pid: u32,
    /// The start time of the process, in units of the system.
    pub(super) started: Option<u64>,
}

/// The directory with the files of an engine.
#[derive(Debug)]
pub(super) struct StateDir {
    session_dir: PathBuf,
    path: PathBuf,
}

/// The file of one hook. Removed when this value is dropped.
#[derive(Debug)]
pub(super) struct StateFile(PathBuf);

impl StateDir {
    /// Returns the directory of the engines that use `session_dir`, without creating it yet.
    pub(super) fn new(session_dir: &Path) -> Self {
        StateDir { session_dir: session_dir.to_owned(), path: session_dir.join(DIRECTORY) }
    }

    /// Writes a hook's file, or replaces it.
    ///
    /// # Errors
    /// Errors with a message if the directory can't be created, or the file can't be written.
    pub(super) fn write(
        &self,
        id: BackgroundId,
        adopted: &Adoption,
        state: PendingState,
    ) -> Result<StateFile, String> {
        let path = self.path.join(format!("{id}.json"));
        let mut text = serde_json::to_vec(&record(id, adopted, state)).map_err(|error| error.to_string())?;
        text.push(b'\n');
        self.make().map_err(|error| error.to_string())?;
        replace(self.path.join(format!(".{id}.new")), &path, &text)
            .map_err(|error| format!("can't write `{}`: {error}", path.display()))?;
        Ok(StateFile(path))
    }

    fn make(&self) -> Result<(), crate::host::private_files::PrivateFileError> {
        // The host may keep its directory behind a link.
        if !self.session_dir.is_dir() {
            make_dir(&self.session_dir)?;
        }
        make_dir(&self.path)
    }
}

impl StateFile {
    /// Replaces the value of a file that `new` has overwritten, so that dropping the old value does not remove the
    /// file.
    pub(super) fn replaced_by(self, new: StateFile) -> StateFile {
        std::mem::forget(self);
        new
    }
}

impl Drop for StateFile {
    fn drop(&mut self) {
        // A missing file needs no removal; one that can't be removed is recognised as stale by its owner.
        let _ = fs::remove_file(&self.0);
    }
}

/// Replaces a file without waiting for the disk: the file is of no use after the process.
fn replace(temporary: PathBuf, path: &Path, text: &[u8]) -> io::Result<()> {
    let mut new = Replacement::create(temporary, &private_file::options())?;
    new.file().write_all(text)?;
    new.commit(path)
}

fn record(id: BackgroundId, adopted: &Adoption, state: PendingState) -> Record {
    let handler = &adopted.handler;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Record {
        id: id.to_string(),
        session: adopted.session.to_string(),
        event: handler.event.name().to_owned(),
        label: handler.place.label.to_string(),
        source: handler.place.source.to_string(),
        location: handler.location.to_string(),
        state: match state {
            PendingState::Waiting => StateName::Waiting,
            PendingState::Running => StateName::Running,
        },
        since_ms: millis(now),
        limit_ms: millis(adopted.limit),
        owner: OwnerRecord { pid: std::process::id(), started: start_of(std::process::id()) },
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the start time of a living process, in units of the system; `None` if it is unknown or only a zombie is
/// left.
#[cfg(target_os = "linux")]
pub(super) fn start_of(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain blanks and parentheses; what follows the last one does not. `proc(5)`: 3 state, 22
    // starttime.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    (state != "Z" && state != "X").then(|| fields.nth(18)?.parse().ok()).flatten()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn start_of(_pid: u32) -> Option<u64> {
    None
}
