//! Writes a transcript, a line at a time.
//!
//! INVARIANT: what [`Log::append`] reports as written survives the end of the process; what could not be written waits,
//! and goes first the next time. A half line never has another behind it: a newline ends it first.

use super::agent_metadata::{AgentMetadata, MirroredMetadata};
use super::clock::ClockAndIds;
use super::file::{self, How};
use super::line::{self, Note};
use super::load::{LineNames, StoredSession, WRITER, load};
use super::mirror::Mirror;
use super::rewind::RewindPoint;
use super::store::StoreError;
use super::{place, time};
use crate::conversation::Entry;
use becket_base::file_lock::LockState;
use becket_base::private_file;
use becket_llm::Object;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The transcript of a session, or of a subagent, open for its one writer. Writing is a system call a line and may block:
/// on a disk that is slow, for as long as that takes.
#[derive(Debug)]
pub struct Log {
    file: File,
    path: PathBuf,
    session: String,
    /// The subagent that it is of.
    agent: Option<String>,
    lent: ClockAndIds,
    /// The names of the lines so far.
    names: LineNames,
    /// The name that the next prompt gets.
    next_prompt: Option<String>,
    mirror: Option<Mirror>,
    /// The file ends in half a line.
    is_torn: bool,
    /// Lines that could not be written.
    waiting: VecDeque<String>,
    is_guarded: bool,
}

/// The reason why lines are not in the file. They wait, and are written before the next ones.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The file does not take them: the disk is full, most often.
    #[error("can't write to the transcript `{}`: {source}: free some space, and what waits is written with the next line", path.display())]
    Write {
        /// The transcript.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file was deleted and can't be made again.
    #[error("the transcript `{}` was deleted and can't be made again: {source}: give its directory back", path.display())]
    Gone {
        /// The transcript.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Owner of a transcript.
#[derive(Debug, Clone)]
pub(super) struct Owner {
    pub(super) session: String,
    pub(super) agent: Option<String>,
    pub(super) lent: ClockAndIds,
    pub(super) mirror: Option<Mirror>,
}

impl Log {
    /// Opens the file and takes it for this writer alone.
    pub(super) fn open(path: PathBuf, how: How, owner: Owner) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Open { path: path.clone(), source };
        let file = file::open(&path, how).map_err(failed)?;
        let held = file::hold(&file).map_err(failed)?;
        Self::held(file, path, held, owner)
    }

    /// A log of a file that is open.
    pub(super) fn held(file: File, path: PathBuf, held: LockState, owner: Owner) -> Result<Self, StoreError> {
        if held == LockState::Busy {
            return Err(StoreError::InUse { path });
        }
        let Owner { session, agent, lent, mirror } = owner;
        let is_guarded = held == LockState::Held;
        Ok(Self {
            file,
            path,
            session,
            agent,
            lent,
            names: LineNames::default(),
            next_prompt: None,
            mirror,
            is_torn: false,
            waiting: VecDeque::new(),
            is_guarded,
        })
    }

    /// Reads the existing lines, and appends after them.
    pub(super) fn restore(&mut self) -> Result<StoredSession, StoreError> {
        let bytes = self.read().map_err(|source| StoreError::Open { path: self.path.clone(), source })?;
        let (restored, names) = load(&self.path, &bytes, self.agent.is_some());
        self.is_torn = bytes.last().is_some_and(|byte| *byte != b'\n');
        self.names = names;
        Ok(restored)
    }

    /// Sets the session back to the message of that name: those after it are no longer part of the conversation. The
    /// lines stay in the file.
    pub(super) fn rewind(&mut self, point: &RewindPoint, cwd: &Path) -> Result<StoredSession, StoreError> {
        let bytes = self.read().map_err(|source| StoreError::Open { path: self.path.clone(), source })?;
        point.check(&bytes, &self.path)?;
        self.put(line::of_rewind(&point.message), cwd);
        self.names.last = Some(point.message.clone());
        self.write().map_err(|error| StoreError::Open {
            path: self.path.clone(),
            source: io::Error::other(error.to_string()),
        })?;
        self.restore()
    }

    /// Gives the next prompt this name, if no line has it yet.
    pub(crate) fn name_prompt(&mut self, name: &str) {
        self.next_prompt = Some(name.to_owned()).filter(|name| place::is_uuid(name));
    }

    /// Returns the name of the last message.
    pub(crate) fn last_message(&self) -> Option<&str> {
        self.names.last.as_deref()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns whether no other process can write to it; false if the file system has no locks.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        self.is_guarded
    }

    /// Returns the number of lines that could not be written yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Writes changes of the conversation, and before them what could not be written before.
    ///
    /// # Errors
    /// [`AppendError`]: not all of it is in the file. It waits here; nothing has to be handed in again.
    pub fn append(
        &mut self,
        entries: impl IntoIterator<Item = Entry>,
        cwd: &Path,
    ) -> Result<(), AppendError> {
        for entry in entries {
            self.put(line::of_entry(&entry), cwd);
        }
        self.write()
    }

    /// Writes a fact of the session.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub fn note(&mut self, note: &Note, cwd: &Path) -> Result<(), AppendError> {
        self.put(line::of_note(note), cwd);
        self.write()
    }

    /// Writes the facts of its subagent beside it, and shows them to the mirror.
    ///
    /// # Errors
    /// [`StoreError::Open`]: the file can't be written.
    pub(crate) fn describe(&self, metadata: &AgentMetadata) -> Result<(), StoreError> {
        let path = place::of_metadata(&self.path);
        let written = serde_json::to_vec(metadata).map_err(io::Error::from);
        let written = written.and_then(|bytes| private_file::replace(&path, &bytes));
        written.map_err(|source| StoreError::Open { path, source })?;
        if let (Some(mirror), Ok(line)) =
            (&self.mirror, serde_json::to_string(&MirroredMetadata::from(metadata)))
        {
            mirror.show(&self.path, &line);
        }
        Ok(())
    }

    /// The transcript of a subagent of this session, new or resumed.
    ///
    /// # Errors
    /// [`StoreError`]: as for a session.
    pub fn subagent(&self, agent: &str) -> Result<(Log, StoredSession), StoreError> {
        Log::of_subagent(
            &self.path,
            agent,
            Owner {
                session: self.session.clone(),
                agent: Some(agent.to_owned()),
                lent: self.lent.clone(),
                mirror: self.mirror.clone(),
            },
        )
    }

    /// The transcript of a subagent of the session that is stored in `of`.
    pub(super) fn of_subagent(
        of: &Path,
        agent: &str,
        owner: Owner,
    ) -> Result<(Log, StoredSession), StoreError> {
        if !place::is_agent(agent) {
            return Err(StoreError::BadAgent { id: agent.to_owned() });
        }
        let path = place::of_subagent(of, agent);
        private_file::create_parent(&path)
            .map_err(|source| StoreError::Open { path: path.clone(), source })?;
        let how = if path.exists() { How::Existing } else { How::New };
        let mut log = Log::open(path, how, owner)?;
        let restored = log.restore()?;
        Ok((log, restored))
    }

    /// Puts a line to those that wait.
    fn put(&mut self, own: Value, cwd: &Path) {
        let mut line = Object::new();
        line.insert("parentUuid".into(), json!(self.names.last));
        line.insert("isSidechain".into(), self.agent.is_some().into());
        if let Some(agent) = &self.agent {
            line.insert("agentId".into(), agent.as_str().into());
        }
        line.insert("cwd".into(), cwd.to_string_lossy().into());
        line.insert("sessionId".into(), self.session.as_str().into());
        if let Value::Object(own) = own {
            line.extend(own);
        }
        let is_prompt = self.next_prompt.is_some() && line::is_prompt(&line);
        let given = if is_prompt { self.next_prompt.take() } else { None };
        let given = given.filter(|given| !self.names.seen.contains(given));
        let uuid = given.unwrap_or_else(|| (self.lent.id)());
        line.insert("version".into(), format!("{WRITER}{}", env!("CARGO_PKG_VERSION")).into());
        line.insert("uuid".into(), uuid.as_str().into());
        line.insert("timestamp".into(), time::text((self.lent.now)()).into());
        self.names.seen.insert(uuid.clone());
        if line::is_chained(&line) {
            self.names.last = Some(uuid);
        }
        self.waiting.push_back(format!("{}\n", Value::Object(line)));
    }

    fn write(&mut self) -> Result<(), AppendError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.make_again().map_err(|source| AppendError::Gone { path: self.path.clone(), source })?;
        while let Some(line) = self.waiting.pop_front() {
            if let Err(source) = self.write_line(&line) {
                self.waiting.push_front(line);
                return Err(AppendError::Write { path: self.path.clone(), source });
            }
            if let Some(mirror) = &self.mirror {
                mirror.show(&self.path, &line);
            }
        }
        Ok(())
    }

    /// One write for the whole line, if the system takes it in one.
    fn write_line(&mut self, line: &str) -> io::Result<()> {
        let ended = if self.is_torn { format!("\n{line}") } else { String::new() };
        let mut rest = if self.is_torn { ended.as_bytes() } else { line.as_bytes() };
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = &rest[written..];
                    self.is_torn = !rest.is_empty();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Makes a file that was deleted again, with all that was in it: it is still open.
    fn make_again(&mut self) -> io::Result<()> {
        if !file::is_deleted(&self.file)? {
            return Ok(());
        }
        let bytes = self.read()?;
        private_file::create_parent(&self.path)?;
        let mut file = file::open(&self.path, How::New)?;
        self.is_guarded = file::hold(&file)? == LockState::Held;
        if let Err(error) = file.write_all(&bytes) {
            // Half of it is worse than none: the next attempt needs the name.
            let _ = std::fs::remove_file(&self.path);
            return Err(error);
        }
        self.file = file;
        Ok(())
    }

    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Drop for Log {
    /// Writes what waits, if it can. A session in which nothing happened leaves no file.
    fn drop(&mut self) {
        // The last chance for pending lines. An error has no receiver any more: earlier ones were reported.
        let _ = self.write();
        let _ = file::give_back(&self.file, &self.path);
    }
}
