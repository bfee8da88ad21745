//! Servers that want a login, remembered for a while so that they are not contacted at each start (`protocol.md` X3).
//!
//! The file contains hashes of names and addresses and times, and no secret. It is a cache, not a record: an invalid
//! file counts as empty, and [`AuthNeeded::open`] reports it.
//!
//! INVARIANT: a writer takes the file's lock and reads the file again under it, so no entry of another process is
//! lost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::auth::key::Key;
use crate::auth::private::{self, FileError};

/// The time for which a server is not contacted (`protocol.md` X3).
pub const AUTH_NEEDED_TTL: Duration = Duration::from_secs(15 * 60);

/// The accepted distance of an entry into the future: two processes read the clock at slightly different times.
const SKEW: Duration = Duration::from_secs(5);

/// The time limit on the wait for the lock: others hold it for milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// A cache of these servers, in a file that several processes may use at the same time.
#[derive(Debug, Clone)]
pub struct AuthNeeded {
    path: Arc<Path>,
    ttl: Duration,
}

/// An existing file that could not be used; it counts as empty, and the next entry replaces it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DiscardedFile {
    /// The text is invalid.
    #[error("`{}` is damaged and counts as empty: servers that need a login are contacted again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file can't be read.
    #[error("{0}; servers that need a login are contacted again")]
    Unreadable(#[from] FileError),
}

/// The time of a server's demand for a login in milliseconds since 1970, by [`Key::id`].
#[derive(Default, Serialize, Deserialize)]
struct Memory {
    needed: BTreeMap<String, u64>,
}

impl AuthNeeded {
    /// Opens the cache in this file, which need not exist. Entries older than `ttl` are ignored.
    #[must_use]
    pub fn open(path: impl Into<PathBuf>, ttl: Duration) -> (Self, Option<DiscardedFile>) {
        let memory = Self { path: path.into().into(), ttl };
        let warning = memory.read().err();
        (memory, warning)
    }

    /// Returns the time for which a server must not be contacted yet; `None` if it may be.
    ///
    /// An entry from the future, as left by a clock that was set back, is ignored.
    #[must_use]
    pub fn is_needed(&self, key: &Key, now: SystemTime) -> Option<Duration> {
        let memory = self.read().ok()?;
        self.remaining(*memory.needed.get(key.id())?, now)
    }

    /// Records that a server needs a login, at `now`.
    ///
    /// # Errors
    /// Errors if it could not be recorded.
    pub async fn note(&self, key: &Key, now: SystemTime) -> Result<(), FileError> {
        let (id, since) = (key.id().to_owned(), millis(now));
        self.change(now, move |memory| {
            memory.needed.insert(id, since);
        })
        .await
    }

    /// Removes a server that has new credentials.
    ///
    /// # Errors
    /// Errors if it could not be removed.
    pub async fn clear(&self, key: &Key, now: SystemTime) -> Result<(), FileError> {
        let is_known = self.read().is_ok_and(|memory| memory.needed.contains_key(key.id()));
        if !is_known {
            return Ok(());
        }
        let id = key.id().to_owned();
        self.change(now, move |memory| {
            memory.needed.remove(&id);
        })
        .await
    }

    async fn change(
        &self,
        now: SystemTime,
        change: impl FnOnce(&mut Memory) + Send + 'static,
    ) -> Result<(), FileError> {
        let lock = private::lock(&private::beside(&self.path, ".lock"), PATIENCE).await?;
        let (this, path) = (self.clone(), Arc::clone(&self.path));
        // Runs to its end even if the caller is dropped: the lock moves into it.
        let changed = tokio::task::spawn_blocking(move || {
            let _lock = lock;
            this.replace(now, change)
        });
        changed.await.unwrap_or_else(|error| Err(FileError::io("written", &path)(error.into())))
    }

    fn replace(&self, now: SystemTime, change: impl FnOnce(&mut Memory)) -> Result<(), FileError> {
        let mut memory = match self.read() {
            Ok(memory) => memory,
            Err(DiscardedFile::Damaged { .. }) => Memory::default(),
            Err(DiscardedFile::Unreadable(error)) => return Err(error),
        };
        memory.needed.retain(|_, since| self.remaining(*since, now).is_some());
        change(&mut memory);
        // A map of texts and numbers can always be written.
        private::replace(&self.path, &serde_json::to_vec(&memory).unwrap_or_default())
    }

    fn read(&self) -> Result<Memory, DiscardedFile> {
        let Some(bytes) = private::read(&self.path)? else { return Ok(Memory::default()) };
        serde_json::from_slice(&bytes).map_err(|_| DiscardedFile::Damaged { path: self.path.to_path_buf() })
    }

    fn remaining(&self, since: u64, now: SystemTime) -> Option<Duration> {
        let since = UNIX_EPOCH.checked_add(Duration::from_millis(since))?;
        let remaining = match now.duration_since(since) {
            Ok(age) => self.ttl.saturating_sub(age),
            Err(ahead) if ahead.duration() <= SKEW => self.ttl,
            Err(_) => Duration::ZERO,
        };
        (!remaining.is_zero()).then_some(remaining)
    }
}

fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
