//! The processes of hooks that nothing waits for, by session: their number is limited, and they end with the session
//! (A5).
//!
//! A private file for each of them, in a directory for its session, contains its id. The process holds a lock on the file as
//! long as it lives: it inherits the descriptor.
//!
//! INVARIANT: a signal goes only to the process of a locked file, so that its id is not that of another one.

use crate::{FiringError, Launch, carried_context};
use becket_base::file_lock::{self, LockState};
use becket_base::private_file;
use becket_engine::CancellationToken;
use becket_model::SessionId;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The directory of the files, below the user's directory of settings.
const DIRECTORY: &str = "becket/detached";
/// The maximum number of processes of a session at once.
const MOST: usize = 32;
/// The time that a process has to end its hooks after a signal.
const GRACE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(10);

/// The file of a process that is about to start.
#[derive(Debug)]
pub struct DetachedProcess {
    file: File,
}

impl DetachedProcess {
    /// Creates the file; `None` if the session has 32 processes, or if its file system has no locks.
    ///
    /// # Errors
    /// Errors if the file can't be created.
    pub fn create(launch: &Launch, session: &SessionId) -> Result<Option<Self>, FiringError> {
        let directory = launch.path_of_session(DIRECTORY, session).ok_or(FiringError::NoUserDirectory)?;
        let fail = |why| FiringError::Write { path: directory.clone(), why };
        DetachedProcess::in_directory(&directory).map_err(fail)
    }

    fn in_directory(directory: &Path) -> io::Result<Option<Self>> {
        let _lock = file_lock::lock_private(&lock_of(directory))?;
        if running(directory).len() >= MOST {
            return Ok(None);
        }
        let free = (0..=MOST).map(|number| directory.join(number.to_string())).find(|path| !path.exists());
        let Some(path) = free else { return Ok(None) };
        private_file::create_parent(&path)?;
        let file = private_file::options().write(true).create_new(true).open(&path)?;
        let is_held = file_lock::try_lock(&file)? == LockState::Held;
        Ok(is_held.then_some(DetachedProcess { file }))
    }

    /// Returns the descriptor that the process inherits, and with it the lock.
    ///
    /// # Errors
    /// Errors if there are too many descriptors.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        Ok(self.file.try_clone()?.into())
    }

    /// Records the id of the process, which has started.
    ///
    /// # Errors
    /// Errors if the file can't be written: nothing ends the process with the session then.
    pub fn started(mut self, id: u32) -> io::Result<()> {
        self.file.write_all(id.to_string().as_bytes())
    }
}

/// Returns true if a session may have processes.
pub fn has_any(launch: &Launch, session: &SessionId) -> bool {
    launch.path_of_session(DIRECTORY, session).is_some_and(|directory| directory.exists())
}

/// Ends the processes of a session: those that still run after `budget`, or once `cancel` is cancelled, end their hooks
/// after a signal. Texts kept for later answers are removed.
pub async fn end(launch: &Launch, session: &SessionId, budget: Duration, cancel: &CancellationToken) {
    let Some(directory) = launch.path_of_session(DIRECTORY, session).filter(|directory| directory.exists())
    else {
        return;
    };
    let mut left = ended_within(running(&directory), budget, || cancel.is_cancelled()).await;
    for signal in [Signal::TERM, Signal::KILL] {
        for process in &left {
            process.send(signal);
        }
        left = ended_within(left, GRACE, || false).await;
    }
    carried_context::forget(launch, session);
    remove(&directory);
    for other in fs::read_dir(directory.parent().unwrap_or(&directory)).into_iter().flatten().flatten() {
        // The files of a session whose end was never reported.
        let path = other.path();
        if path.is_dir() && running(&path).is_empty() {
            remove(&path);
        }
    }
}

/// A process whose file is locked.
#[derive(Debug)]
struct RunningProcess {
    file: File,
    path: PathBuf,
}

impl RunningProcess {
    fn send(&self, signal: Signal) {
        let id = fs::read_to_string(&self.path).ok().and_then(|text| text.trim().parse().ok());
        if let Some(id) = id.and_then(Pid::from_raw) {
            // It may have ended just now.
            let _ = kill_process(id, signal);
        }
    }
}

/// Returns the processes of a directory, and removes the files of those that have ended.
fn running(directory: &Path) -> Vec<RunningProcess> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(file) = File::open(&path) else { continue };
        match file_lock::try_lock(&file) {
            Ok(LockState::Busy) => all.push(RunningProcess { file, path }),
            // Another process may have removed it.
            Ok(LockState::Held) => drop(fs::remove_file(path)),
            Ok(LockState::Unsupported) | Err(_) => {}
        }
    }
    all
}

/// Returns the processes that still run after a time, or once `is_enough` returns true.
async fn ended_within(
    processes: Vec<RunningProcess>,
    limit: Duration,
    is_enough: impl Fn() -> bool,
) -> Vec<RunningProcess> {
    let start = Instant::now();
    let mut left = Vec::new();
    for process in processes {
        let pauses = std::iter::from_fn(|| (start.elapsed() < limit && !is_enough()).then_some(PAUSE));
        if !matches!(file_lock::lock_async(&process.file, pauses).await, Ok(LockState::Held)) {
            left.push(process);
        }
    }
    left
}

fn remove(directory: &Path) {
    // Another process may have removed them.
    let _ = fs::remove_dir_all(directory);
    let _ = fs::remove_file(lock_of(directory));
}

fn lock_of(directory: &Path) -> PathBuf {
    directory.with_extension("lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_a_limit_and_files_of_ended_processes_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let session = directory.path().join("s");
        let create = || DetachedProcess::in_directory(&session).unwrap();
        let mut all: Vec<DetachedProcess> = (0..MOST).map(|_| create().unwrap()).collect();
        assert!(create().is_none());
        assert_eq!(running(&session).len(), MOST);
        all.pop();
        assert!(create().is_some(), "one has ended");
        all.clear();
        assert!(running(&session).is_empty());
        assert_eq!(fs::read_dir(&session).unwrap().count(), 0);
    }
}
