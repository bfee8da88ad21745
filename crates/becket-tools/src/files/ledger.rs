//! Files that a session has read, so that `Edit` and `Write` overwrite only content that it has seen.
//!
//! A file is identified by its real path and its content: if it is touched but unchanged, it is still known. Every
//! subagent has its own part.
//!
//! It stores no text, and drops the least recently read file first.

use becket_model::event::Agent;
use becket_model::{AgentId, Session, SessionId};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The maximum number of files that are remembered.
const MOST: usize = 10_000;

/// A hash that identifies the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark([u8; 32]);

/// A reader and its file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    session: SessionId,
    agent: Option<AgentId>,
    file: PathBuf,
}

/// The files that were read.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    seen: HashMap<Key, (Mark, u64)>,
    /// The number of files recorded so far.
    now: u64,
}

impl Ledger {
    /// Records the content of a file; `file` is its real path.
    pub(crate) fn note(&self, session: &Session, file: &Path, mark: Mark) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.now += 1;
        let now = pages.now;
        pages.seen.insert(key(session, file), (mark, now));
        if pages.seen.len() > MOST {
            let oldest = pages.seen.iter().min_by_key(|(_, (_, when))| *when).map(|(key, _)| key.clone());
            oldest.and_then(|key| pages.seen.remove(&key));
        }
    }

    /// Returns the mark of the content that the session last saw.
    pub(crate) fn known(&self, session: &Session, file: &Path) -> Option<Mark> {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.seen.get(&key(session, file)).map(|(mark, _)| *mark)
    }
}

fn key(session: &Session, file: &Path) -> Key {
    let agent = session.agent.as_ref().and_then(|agent: &Agent| agent.id.clone());
    Key { session: session.id.clone(), agent, file: file.to_path_buf() }
}

impl Mark {
    /// Returns the mark of a content.
    pub(crate) fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }
}

/// A reader that computes the mark of the bytes read through it.
pub(crate) struct MarkingReader<R> {
    inner: R,
    hash: Sha256,
}

impl<R> MarkingReader<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, hash: Sha256::new() }
    }

    /// Returns the mark of everything that was read.
    pub(crate) fn mark(self) -> Mark {
        Mark(self.hash.finalize().into())
    }
}

impl<R: Read> Read for MarkingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.hash.update(buffer.get(..length).unwrap_or_default());
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_work_knows_what_it_has_read_itself() {
        let ledger = Ledger::default();
        let main = Session::new("s", "/t", "/w");
        let agent = Agent::new(becket_model::AgentId::from("a"), None);
        let sub = main.clone().with_agent(agent);
        let (file, mark) = (Path::new("/w/x"), Mark::of(b"x"));
        ledger.note(&main, file, mark);
        assert_eq!(ledger.known(&main, file), Some(mark));
        assert_eq!(ledger.known(&sub, file), None);
        assert_eq!(ledger.known(&Session::new("cleared", "/t", "/w"), file), None);
        let (mut text, mut through) = (Vec::new(), MarkingReader::new(&b"x"[..]));
        through.read_to_end(&mut text).unwrap();
        assert_eq!(through.mark(), mark);
    }

    #[test]
    fn it_forgets_what_was_read_longest_ago() {
        let (ledger, session) = (Ledger::default(), Session::new("s", "/t", "/w"));
        let name = |n: usize| PathBuf::from(format!("/w/{n}"));
        for n in 0..MOST {
            ledger.note(&session, &name(n), Mark::of(b""));
        }
        ledger.note(&session, &name(0), Mark::of(b"again"));
        ledger.note(&session, &name(MOST), Mark::of(b""));
        assert_eq!(ledger.known(&session, &name(1)), None);
        assert!(ledger.known(&session, &name(0)).is_some() && ledger.known(&session, &name(2)).is_some());
    }
}
