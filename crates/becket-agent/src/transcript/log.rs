//! Writes a transcript line by line.
//!
//! INVARIANT: everything that [`Log::append`] reports as written survives the end of the process; lines that could not
//! be written are kept, and written first the next time. An incomplete line is never followed by another one: a newline
//! ends it first.

use super::agent_metadata::{AgentMetadata, MirroredMetadata};
use super::clock::ClockAndIds;
use super::file::{self, OpenMode};
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

/// The transcript of a session, or of a subagent, opened by its only writer. Each line is written by a system call,
/// which may block on a slow disk.
#[derive(Debug)]
pub struct Log {
    file: File,
    path: PathBuf,
    session: String,
    /// The subagent whose transcript it is, if any.
    agent: Option<String>,
    clock_and_ids: ClockAndIds,
    /// The names of the lines so far.
    names: LineNames,
    /// The name of the next prompt.
    next_prompt: Option<String>,
    mirror: Option<Mirror>,
    /// Set if the file ends with an incomplete line.
    is_torn: bool,
    /// The lines that could not be written.
    waiting: VecDeque<String>,
    is_guarded: bool,
}

/// The reason why lines are not in the file. They are kept, and written before the next ones.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The file can't be written, usually because the disk is full.
    #[error("can't write to the transcript `{}`: {source}: free some space, and the pending lines are written with the next one", path.display())]
    Write {
        /// The transcript.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file was deleted and can't be created again.
    #[error("the transcript `{}` was deleted and can't be created again: {source}: restore its directory", path.display())]
    Gone {
        /// The transcript.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// The owner of a transcript.
#[derive(Debug, Clone)]
pub(super) struct Owner {
    pub(super) session: String,
    pub(super) agent: Option<String>,
    pub(super) clock_and_ids: ClockAndIds,
    pub(super) mirror: Option<Mirror>,
}

impl Log {
    /// Opens the file and locks it for this writer.
    pub(super) fn open(path: PathBuf, mode: OpenMode, owner: Owner) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Open { path: path.clone(), source };
        let file = file::open(&path, mode).map_err(failed)?;
        let held = file::hold(&file).map_err(failed)?;
        Self::held(file, path, held, owner)
    }

    /// Creates a log from an open file.
    pub(super) fn held(file: File, path: PathBuf, held: LockState, owner: Owner) -> Result<Self, StoreError> {
        if held == LockState::Busy {
            return Err(StoreError::InUse { path });
        }
        let Owner { session, agent, clock_and_ids, mirror } = owner;
        let is_guarded = held == LockState::Held;
        Ok(Self {
            file,
            path,
            session,
            agent,
            clock_and_ids,
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

    /// Rewinds the session to the message with this name: the messages after it are no longer part of the conversation,
    /// but their lines stay in the file.
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

    /// Sets the name of the next prompt, unless a line has it already.
    pub(crate) fn name_prompt(&mut self, name: &str) {
        self.next_prompt = Some(name.to_owned()).filter(|name| place::is_uuid(name));
    }

    /// Returns the name of the last message.
    pub(crate) fn last_message(&self) -> Option<&str> {
        self.names.last.as_deref()
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the id of the session.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns whether no other process can write to the file; false if the file system does not support locks.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        self.is_guarded
    }

    /// Returns the number of lines that are not yet written.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Writes changes to the conversation, after those that could not be written before.
    ///
    /// # Errors
    /// [`AppendError`] if not all of it is in the file. The rest is kept; it need not be passed in again.
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

    /// Writes a fact about the session.
    ///
    /// # Errors
    /// Errors like [`Log::append`].
    pub fn note(&mut self, note: &Note, cwd: &Path) -> Result<(), AppendError> {
        self.put(line::of_note(note), cwd);
        self.write()
    }

    /// Writes the facts about the subagent next to its transcript, and shows them to the mirror.
    ///
    /// # Errors
    /// [`StoreError::Open`] if the file can't be written.
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

    /// Opens the transcript of a subagent of this session, new or resumed.
    ///
    /// # Errors
    /// [`StoreError`], as for a session.
    pub fn subagent(&self, agent: &str) -> Result<(Log, StoredSession), StoreError> {
        Log::of_subagent(
            &self.path,
            agent,
            Owner {
                session: self.session.clone(),
                agent: Some(agent.to_owned()),
                clock_and_ids: self.clock_and_ids.clone(),
                mirror: self.mirror.clone(),
            },
        )
    }

    /// Opens the transcript of a subagent of the session that is stored in `of`.
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
        let mode = if path.exists() { OpenMode::Existing } else { OpenMode::New };
        let mut log = Log::open(path, mode, owner)?;
        let restored = log.restore()?;
        Ok((log, restored))
    }

    /// Adds a line to those that are not yet written.
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
        let requested = if is_prompt { self.next_prompt.take() } else { None };
        let requested = requested.filter(|requested| !self.names.seen.contains(requested));
        let uuid = requested.unwrap_or_else(|| (self.clock_and_ids.id)());
        line.insert("version".into(), format!("{WRITER}{}", env!("CARGO_PKG_VERSION")).into());
        line.insert("uuid".into(), uuid.as_str().into());
        line.insert("timestamp".into(), time::text((self.clock_and_ids.now)()).into());
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

    /// Writes a line, in a single system call if possible.
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

    /// Creates a deleted file again, with its content: it is still open.
    fn make_again(&mut self) -> io::Result<()> {
        if !file::is_deleted(&self.file)? {
            return Ok(());
        }
        let bytes = self.read()?;
        private_file::create_parent(&self.path)?;
        let mut file = file::open(&self.path, OpenMode::New)?;
        self.is_guarded = file::hold(&file)? == LockState::Held;
        if let Err(error) = file.write_all(&bytes) {
            // A partial file is worse than none: the next attempt needs the name.
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
    /// Writes the remaining lines if possible. A session in which nothing happened leaves no file.
    fn drop(&mut self) {
        // The last chance for pending lines. An error can't be reported any more; earlier ones were.
        let _ = self.write();
        let _ = file::give_back(&self.file, &self.path);
    }
}
