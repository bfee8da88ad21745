//! Reads what other processes write about their pending hooks. Trusts no file: one that Becket did not write is listed
//! as such.

use super::PendingState;
use super::state_file::{DIRECTORY, OwnerRecord, Record, StateName, start_of};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The largest size that a file of Becket can have, in bytes.
const LARGEST: u64 = 1 << 20;

/// A file in the `background` directory of a session.
#[derive(Debug)]
#[non_exhaustive]
pub struct BackgroundFile {
    /// The path of the file.
    pub file: PathBuf,
    /// The hook in the file, or the reason why it can't be read.
    pub hook: Result<RecordedHook, UnreadableRecord>,
}

/// A pending hook as its process describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedHook {
    /// The id of its run, written as a [`crate::report::background_id::BackgroundId`].
    pub id: String,
    /// The session whose event started it.
    pub session: String,
    /// The event that it was started for.
    pub event: String,
    /// The handler's label: its command, URL, tool or name.
    pub label: String,
    /// The source of the handler.
    pub source: String,
    /// The place of the handler in its file.
    pub location: String,
    /// Its state: waiting or running.
    pub state: PendingState,
    /// The time at which it entered that state.
    pub since: SystemTime,
    /// Its time limit, from its start.
    pub limit: Duration,
    /// The process that runs it.
    pub pid: u32,
    /// The state of that process.
    pub owner: Owner,
}

/// The state of the process that wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The process is alive, and so is the hook that the file describes.
    Alive,
    /// The process is gone, as far as this one can see, and has left its file behind: nothing is pending any more.
    Gone,
    /// The state can't be determined on this system.
    Unknown,
}

/// The reason why a file in the directory lists no hook.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableRecord {
    /// The file can't be read.
    #[error("can't be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The entry is a link, a directory or a pipe.
    #[error("is not a regular file")]
    NoFile,
    /// The file is larger than any file of a hook.
    #[error("is larger than {LARGEST} bytes, so no engine wrote it")]
    TooLarge,
    /// The content is not a record of a hook.
    #[error("describes no background hook: {0}")]
    NoHook(#[from] serde_json::Error),
}

/// Returns the background hooks of all engines that use `session_dir`, oldest first; none if it does not exist.
///
/// # Errors
/// Errors if the directory exists and can't be listed.
pub fn background_in(session_dir: &Path) -> io::Result<Vec<BackgroundFile>> {
    let entries = match fs::read_dir(session_dir.join(DIRECTORY)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            match hook_in(&file) {
                // The hook ended in the meantime.
                Err(UnreadableRecord::Unreadable(error)) if error.kind() == io::ErrorKind::NotFound => {}
                hook => found.push(BackgroundFile { file, hook }),
            }
        }
    }
    found.sort_by_cached_key(|listed| {
        (listed.hook.as_ref().map_or(UNIX_EPOCH, |hook| hook.since), listed.file.clone())
    });
    Ok(found)
}

fn hook_in(path: &Path) -> Result<RecordedHook, UnreadableRecord> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() {
        return Err(UnreadableRecord::NoFile);
    }
    let mut text = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(UnreadableRecord::TooLarge);
    }
    let record: Record = serde_json::from_slice(&text)?;
    Ok(RecordedHook {
        owner: owner(&record.owner),
        pid: record.owner.pid,
        id: record.id,
        session: record.session,
        event: record.event,
        label: record.label,
        source: record.source,
        location: record.location,
        state: match record.state {
            StateName::Waiting => PendingState::Waiting,
            StateName::Running => PendingState::Running,
        },
        since: UNIX_EPOCH.checked_add(Duration::from_millis(record.since_ms)).unwrap_or(UNIX_EPOCH),
        limit: Duration::from_millis(record.limit_ms),
    })
}

/// Returns whether the owner still runs. Its process id may have been reused since: the start time tells the two apart.
fn owner(record: &OwnerRecord) -> Owner {
    let alive = is_alive(record.pid);
    match (alive, record.started) {
        (Owner::Alive, Some(started)) if start_of(record.pid).is_some_and(|now| now != started) => {
            Owner::Gone
        }
        _ if cfg!(target_os = "linux") && alive == Owner::Alive && start_of(record.pid).is_none() => {
            Owner::Gone
        }
        (alive, _) => alive,
    }
}

#[cfg(unix)]
fn is_alive(pid: u32) -> Owner {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Owner::Gone };
    match test_kill_process(pid) {
        Err(Errno::SRCH) => Owner::Gone,
        Ok(()) | Err(_) => Owner::Alive,
    }
}

#[cfg(not(unix))]
fn is_alive(_pid: u32) -> Owner {
    Owner::Unknown
}
