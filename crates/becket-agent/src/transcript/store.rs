//! All transcripts below a root: creates, resumes, forks and lists them.

use super::clock::ClockAndIds;
use super::file::{self, OpenMode};
use super::load::{StoredSession, WRITER, is_own, object};
use super::log::{Log, Owner};
use super::mirror::Mirror;
use super::place;
use super::rewind::RewindPoint;
use crate::notes::Notes;
use becket_base::file_lock::LockState;
use becket_base::private_file;
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The transcripts below a root.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
    /// Becket's own root, if `root` is shared with another program: for sessions of earlier versions, and notes.
    own: Option<PathBuf>,
    clock_and_ids: ClockAndIds,
    mirror: Option<Mirror>,
}

/// The reason why a transcript can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The id is not a valid session id.
    #[error("`{id}` is not an id of a session: it has to be a UUID")]
    BadId {
        /// The id.
        id: String,
    },
    /// The id is not a valid subagent id.
    #[error("`{id}` is not an id of a subagent: it may have letters, digits, `_` and `-`")]
    BadAgent {
        /// The id.
        id: String,
    },
    /// A session with this id exists already.
    #[error("there is a session `{id}`: resume it, or take another id")]
    Exists {
        /// The id.
        id: String,
    },
    /// There is no session with this id.
    #[error("there is no session `{id}`: list those of this directory")]
    Unknown {
        /// The id.
        id: String,
    },
    /// No message has this name.
    #[error("there is no message `{uuid}` in the session `{}`: name one by its uuid", path.display())]
    NoMessage {
        /// The name.
        uuid: String,
        /// The transcript.
        path: PathBuf,
    },
    /// Something other than the given turn follows the message.
    #[error(
        "Resume rejected by --resume-drops-turn: {found} prompts follow the message, and not that of `{drops}` alone"
    )]
    OtherTurns {
        /// The prompt.
        drops: String,
        /// The number of prompts.
        found: usize,
    },
    /// Another process writes to the transcript.
    #[error("the transcript `{}` is in use by another process: end that one, or fork the session", path.display())]
    InUse {
        /// The transcript.
        path: PathBuf,
    },
    /// The system does not allow opening, creating or reading it.
    #[error("can't open the transcript `{}`: {source}", path.display())]
    Open {
        /// The transcript.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Store {
    /// Creates a store below this directory, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), own: None, clock_and_ids: ClockAndIds::default(), mirror: None }
    }

    /// Creates a store below a directory that another program also uses; `own` is Becket's own, whose sessions can be
    /// resumed, too.
    pub fn shared(root: impl Into<PathBuf>, own: impl Into<PathBuf>) -> Self {
        Self { own: Some(own.into()), ..Self::new(root) }
    }

    /// Adds a second receiver of all lines that are written.
    #[must_use]
    pub fn mirrored(mut self, mirror: Mirror) -> Self {
        self.mirror = Some(mirror);
        self
    }

    /// Sets the host's own clock and ids.
    #[must_use]
    pub fn with(mut self, clock_and_ids: ClockAndIds) -> Self {
        self.clock_and_ids = clock_and_ids;
        self
    }

    /// Creates a session with this id, or a new one. Its file exists from now on, and is deleted again if nothing is
    /// written.
    ///
    /// # Errors
    /// [`StoreError`] for a bad id, a session that exists, or an I/O error.
    pub fn create(&self, cwd: &Path, id: Option<&str>) -> Result<Log, StoreError> {
        let id = self.id(id)?;
        if self.find(cwd, &id).is_some() {
            return Err(StoreError::Exists { id });
        }
        let path = self.path(cwd, &id)?;
        match Log::open(path, OpenMode::New, self.owner(id.clone())) {
            Err(StoreError::Open { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                Err(StoreError::Exists { id })
            }
            opened => opened,
        }
    }

    /// Opens a session to continue it, from any directory; if two have the same id, the one of this directory. Its file
    /// is not moved. A session of another program is copied first, under a new id ([`StoredSession::copy_of`]).
    ///
    /// # Errors
    /// [`StoreError`] for a bad id, an unknown session, a session in use, or an I/O error. Damaged lines are not an
    /// error: see [`StoredSession::damage`].
    pub fn resume(&self, cwd: &Path, id: &str) -> Result<(Log, StoredSession), StoreError> {
        let path = self.existing(cwd, id)?;
        if !self.is_own(&path).map_err(|source| StoreError::Open { path: path.clone(), source })? {
            let (log, mut restored) = self.fork(cwd, id, None)?;
            restored.copy_of = Some(path);
            return Ok((log, restored));
        }
        let mut log = Log::open(path, OpenMode::Existing, self.owner(id.to_owned()))?;
        let restored = log.restore()?;
        Ok((log, restored))
    }

    /// Rewinds an open session to an earlier message.
    ///
    /// # Errors
    /// [`StoreError`] if there is no such message, or more than one turn follows it.
    pub fn rewind(
        &self,
        log: &mut Log,
        point: &RewindPoint,
        cwd: &Path,
    ) -> Result<StoredSession, StoreError> {
        log.rewind(point, cwd)
    }

    /// Copies a session, even one in use, and continues the copy under a new id. Lines that are not objects are not
    /// copied.
    ///
    /// # Errors
    /// Errors like [`Store::create`] and [`Store::resume`].
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
            let mut file = file::open(&made, OpenMode::New)?;
            let copied = copy(&bytes, &new, self.own.is_some());
            file.write_all(&copied).and_then(|()| fs::rename(&made, &path))?;
            if let Some(mirror) = &self.mirror {
                let lines = copied.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                lines.for_each(|line| mirror.show(&path, &String::from_utf8_lossy(line)));
            }
            Ok(file)
        });
        let file = copied.inspect_err(|_| drop(fs::remove_file(&made))).map_err(failed)?;
        let held: LockState = file::hold(&file).map_err(failed)?;
        let mut log = Log::held(file, path, held, self.owner(new))?;
        let restored = log.restore()?;
        Ok((log, restored))
    }

    /// Opens the transcript of a subagent of the session that is stored in `of`, new or existing; needs no lock on the
    /// session's own.
    ///
    /// # Errors
    /// Errors like [`Store::resume`].
    pub fn subagent(
        &self,
        of: &Path,
        session: &str,
        agent: &str,
    ) -> Result<(Log, StoredSession), StoreError> {
        let owner = Owner { agent: Some(agent.to_owned()), ..self.owner(session.to_owned()) };
        Log::of_subagent(of, agent, owner)
    }

    /// Returns the path of a session's transcript, if it exists: in this directory, or else in another one.
    #[must_use]
    pub fn find(&self, cwd: &Path, id: &str) -> Option<PathBuf> {
        if !place::is_uuid(id) {
            return None;
        }
        let here = self.roots().map(|root| place::of_session(&place::of_project(root, cwd), id));
        let elsewhere = self.roots().filter_map(|root| {
            let projects = fs::read_dir(root.join("projects")).ok()?;
            let paths = projects.flatten().map(|project| place::of_session(&project.path(), id));
            paths.filter(|path| path.is_file()).min()
        });
        here.filter(|path| path.is_file()).chain(elsewhere).next()
    }

    /// Returns the notes on this directory's sessions, stored next to their transcripts.
    #[must_use]
    pub fn notes(&self, cwd: &Path) -> Notes {
        Notes::at(place::of_notes(self.own.as_ref().unwrap_or(&self.root), cwd))
    }

    /// Returns the roots, starting with that for new sessions.
    pub(super) fn roots(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.root.as_path()).chain(self.own.as_deref())
    }

    /// Returns whether Becket has written a transcript: all but those in a shared root that do not say so.
    pub(super) fn is_own(&self, path: &Path) -> io::Result<bool> {
        match &self.own {
            Some(own) if !path.starts_with(own) => is_written_here(path),
            Some(_) | None => Ok(true),
        }
    }

    fn id(&self, id: Option<&str>) -> Result<String, StoreError> {
        let id = id.map_or_else(|| (self.clock_and_ids.id)(), str::to_owned);
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
        Owner { session, agent: None, clock_and_ids: self.clock_and_ids.clone(), mirror: self.mirror.clone() }
    }
}

/// Returns whether the first line with a version was written by Becket. A file without lines has no owner yet.
fn is_written_here(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    fs::File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    let mut lines = head.split(|byte| *byte == b'\n').filter_map(|line| object(line).ok()?);
    Ok(lines.find(|line| line.contains_key("version")).is_some_and(|line| is_own(&line)))
}

/// The part of a file in which its owner is searched, in bytes.
const HEAD: u64 = 256 * 1024;

/// Returns the lines of a session with another session's id.
///
/// A copy belongs to Becket: in a shared root, a line says so before all others.
fn copy(bytes: &[u8], id: &str, is_shared: bool) -> Vec<u8> {
    let mut copied = Vec::with_capacity(bytes.len());
    if is_shared {
        let version = format!("{WRITER}{}", env!("CARGO_PKG_VERSION"));
        let first = json!({"type": "copied", "sessionId": id, "version": version});
        copied.extend(format!("{first}\n").into_bytes());
    }
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(Some(mut line)) = object(line) {
            line.insert("sessionId".into(), id.into());
            copied.extend(Value::Object(line).to_string().into_bytes());
            copied.push(b'\n');
        }
    }
    copied
}
