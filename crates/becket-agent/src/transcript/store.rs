//! All transcripts below one root: a new one, an existing one, a fork of one, and the list of them.

use super::clock::ClockAndIds;
use super::file::{self, How};
use super::load::{StoredSession, object};
use super::log::{Log, Owner};
use super::place;
use crate::notes::Notes;
use becket_base::file_lock::LockState;
use becket_base::private_file;
use serde_json::Value;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The transcripts below a root.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
    lent: ClockAndIds,
}

/// The reason why a transcript can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The id is none of a session.
    #[error("`{id}` is no id of a session: it has to be a UUID")]
    BadId {
        /// The id.
        id: String,
    },
    /// The id is none of a subagent.
    #[error("`{id}` is no id of a subagent: it may have letters, digits, `_` and `-`")]
    BadAgent {
        /// The id.
        id: String,
    },
    /// There is a session of this id.
    #[error("there is a session `{id}`: resume it, or take another id")]
    Exists {
        /// The id.
        id: String,
    },
    /// There is none.
    #[error("there is no session `{id}`: list those of this directory")]
    Unknown {
        /// The id.
        id: String,
    },
    /// Another process writes to it.
    #[error("the transcript `{}` is in use by another process: end that one, or fork the session", path.display())]
    InUse {
        /// The transcript.
        path: PathBuf,
    },
    /// The system does not let it be opened, made or read.
    #[error("can't open the transcript `{}`: {source}", path.display())]
    Open {
        /// The transcript.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Store {
    /// The store below this directory, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), lent: ClockAndIds::default() }
    }

    /// With a clock and names of the host's own.
    #[must_use]
    pub fn with(mut self, lent: ClockAndIds) -> Self {
        self.lent = lent;
        self
    }

    /// Begins a session: of that id, or of a new one. Its file is there from now on, and goes again if nothing is written.
    ///
    /// # Errors
    /// [`StoreError`]: a bad id, a session that exists, the system.
    pub fn create(&self, cwd: &Path, id: Option<&str>) -> Result<Log, StoreError> {
        let id = self.id(id)?;
        if self.find(cwd, &id).is_some() {
            return Err(StoreError::Exists { id });
        }
        let path = self.path(cwd, &id)?;
        match Log::open(path, How::New, self.owner(id.clone())) {
            Err(StoreError::Open { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                Err(StoreError::Exists { id })
            }
            opened => opened,
        }
    }

    /// Opens a session to continue it, from any directory; of two with one id, that of this one. Its file stays in its
    /// place.
    ///
    /// # Errors
    /// [`StoreError`]: a bad id, no such session, one in use, the system. Damaged lines are not an error: see
    /// [`StoredSession::damage`].
    pub fn resume(&self, cwd: &Path, id: &str) -> Result<(Log, StoredSession), StoreError> {
        let path = self.existing(cwd, id)?;
        let mut log = Log::open(path, How::Existing, self.owner(id.to_owned()))?;
        let restored = log.restore()?;
        Ok((log, restored))
    }

    /// Copies a session, one in use as well, and continues with the copy under a new id. Lines that are not objects
    /// stay behind.
    ///
    /// # Errors
    /// As [`Store::create`] and [`Store::resume`].
    pub fn fork(&self, cwd: &Path, id: &str, new: Option<&str>) -> Result<(Log, StoredSession), StoreError> {
        let from = self.existing(cwd, id)?;
        let new = self.id(new)?;
        if self.find(cwd, &new).is_some() {
            return Err(StoreError::Exists { id: new });
        }
        let path = self.path(cwd, &new)?;
        let failed = |source| StoreError::Open { path: path.clone(), source };
        // Under another name first: an interrupted copy must not count as a session.
        let made = path.with_extension("part");
        let copied = fs::read(&from).and_then(|bytes| {
            let mut file = file::open(&made, How::New)?;
            file.write_all(&copy(&bytes, &new)).and_then(|()| fs::rename(&made, &path)).map(|()| file)
        });
        let file = copied.inspect_err(|_| drop(fs::remove_file(&made))).map_err(failed)?;
        let held: LockState = file::hold(&file).map_err(failed)?;
        let mut log = Log::held(file, path, held, self.owner(new))?;
        let restored = log.restore()?;
        Ok((log, restored))
    }

    /// Opens the transcript of a subagent of the session that is stored in `of`, new or existing; needs no lock on that
    /// session's own.
    ///
    /// # Errors
    /// As [`Store::resume`].
    pub fn subagent(
        &self,
        of: &Path,
        session: &str,
        agent: &str,
    ) -> Result<(Log, StoredSession), StoreError> {
        let owner = Owner { agent: Some(agent.to_owned()), ..self.owner(session.to_owned()) };
        Log::of_subagent(of, agent, owner)
    }

    /// The transcript of a session, if there is one: in this directory, or else in another.
    #[must_use]
    pub fn find(&self, cwd: &Path, id: &str) -> Option<PathBuf> {
        if !place::is_uuid(id) {
            return None;
        }
        let here = place::of_session(&place::of_project(&self.root, cwd), id);
        if here.is_file() {
            return Some(here);
        }
        let projects = fs::read_dir(self.root.join("projects")).ok()?;
        let paths = projects.flatten().map(|project| place::of_session(&project.path(), id));
        paths.filter(|path| path.is_file()).min()
    }

    /// Returns the place of the notes on this directory's sessions: beside their transcripts.
    #[must_use]
    pub fn notes(&self, cwd: &Path) -> Notes {
        Notes::at(place::of_notes(&self.root, cwd))
    }

    /// The root.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    fn id(&self, id: Option<&str>) -> Result<String, StoreError> {
        let id = id.map_or_else(|| (self.lent.id)(), str::to_owned);
        if place::is_uuid(&id) { Ok(id) } else { Err(StoreError::BadId { id }) }
    }

    fn existing(&self, cwd: &Path, id: &str) -> Result<PathBuf, StoreError> {
        let id = self.id(Some(id))?;
        self.find(cwd, &id).ok_or(StoreError::Unknown { id })
    }

    /// Returns the path of a new session; creates its directory.
    fn path(&self, cwd: &Path, id: &str) -> Result<PathBuf, StoreError> {
        let path = place::of_session(&place::of_project(&self.root, cwd), id);
        match private_file::create_parent(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(StoreError::Open { path, source }),
        }
    }

    fn owner(&self, session: String) -> Owner {
        Owner { session, agent: None, lent: self.lent.clone() }
    }
}

/// The lines of a session as those of another.
fn copy(bytes: &[u8], id: &str) -> Vec<u8> {
    let mut copied = Vec::with_capacity(bytes.len());
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(Some(mut line)) = object(line) {
            line.insert("sessionId".into(), id.into());
            copied.extend(Value::Object(line).to_string().into_bytes());
            copied.push(b'\n');
        }
    }
    copied
}
