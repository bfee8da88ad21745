//! The notes file, which sessions of several processes may add to concurrently.

use super::text::{MOST_BYTES, NoRoom, added};
use crate::locked_file::{LockedError, LockedFile};
use becket_engine::CancellationToken;
use becket_tools::blocking::{BlockingError, blocking};
use std::path::{Path, PathBuf};

/// The reason why a note was not written, or notes were not read.
#[derive(Debug, thiserror::Error)]
#[error("the notes in `{}` stay as they are: {why}", .path.display())]
pub struct NotesError {
    path: PathBuf,
    why: NotesFault,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum NotesFault {
    #[error("{0}")]
    File(#[from] LockedError),
    #[error("they are not UTF-8")]
    NoText,
    #[error("text other than notes leaves no room: remove some of it")]
    NoRoom,
}

impl From<BlockingError> for NotesFault {
    fn from(halted: BlockingError) -> Self {
        Self::File(halted.into())
    }
}

/// The notes of a project. Cheap to clone; all clones use the same file.
#[derive(Debug, Clone)]
pub struct Notes {
    pub(super) file: LockedFile,
}

impl Notes {
    /// Creates a handle to the notes in this file, which is created with the first note and readable only by the user.
    /// See [`crate::transcript::Store::notes`] for its location.
    #[must_use]
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self { file: LockedFile::new(file.into(), MOST_BYTES as u64) }
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the complete text; `None` if the file does not exist.
    ///
    /// # Errors
    /// Errors if the file can't be read, or is larger than 16 KiB.
    pub async fn text(&self, cancel: &CancellationToken) -> Result<Option<String>, NotesError> {
        let file = self.file.clone();
        let read = blocking(cancel, move |_| Ok(file.read())).await;
        let text = read.map_err(NotesFault::from).and_then(|read| read.map_err(NotesFault::from));
        text.and_then(|bytes| bytes.map(utf8).transpose()).map_err(|why| self.error(why))
    }

    /// Adds at most five notes, and returns the number of new ones. The oldest are dropped beyond 100 notes or 16 KiB.
    ///
    /// # Errors
    /// Errors if the file can't be read or written, or the caller no longer waits; the file is unchanged then.
    pub async fn add(&self, notes: Vec<String>, cancel: &CancellationToken) -> Result<usize, NotesError> {
        let file = self.file.clone();
        let changed = blocking(cancel, move |stop| {
            Ok(file.change(stop, |bytes| {
                let text = bytes.map(utf8).transpose()?.unwrap_or_default();
                match added(&text, &notes) {
                    Ok(Some((text, count))) => Ok((Some(text.into_bytes()), count)),
                    Ok(None) => Ok((None, 0)),
                    Err(NoRoom) => Err(NotesFault::NoRoom),
                }
            }))
        });
        changed.await.map_err(NotesFault::from).and_then(|changed| changed).map_err(|why| self.error(why))
    }

    pub(super) fn error(&self, why: NotesFault) -> NotesError {
        NotesError { path: self.path().to_owned(), why }
    }
}

pub(super) fn utf8(bytes: Vec<u8>) -> Result<String, NotesFault> {
    String::from_utf8(bytes).map_err(|_| NotesFault::NoText)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    // rule: L7
    #[tokio::test]
    async fn sessions_that_add_at_once_lose_no_note_of_each_other() {
        let directory = tempfile::TempDir::new().unwrap();
        let notes = Notes::at(directory.path().join("memory/a.md"));
        let never = CancellationToken::new();
        assert_eq!(notes.text(&never).await.unwrap(), None);
        let adding =
            (0..20).map(|number| {
                let (notes, never) = (notes.clone(), never.clone());
                async move {
                    notes.add(vec![format!("note {number}"), "the same".to_owned()], &never).await.unwrap()
                }
            });
        let counts: usize = futures_util::future::join_all(adding).await.into_iter().sum();
        let text = notes.text(&never).await.unwrap().unwrap();
        assert_eq!((counts, text.matches("\n- ").count()), (21, 21), "{text}");
        assert_eq!(fs::metadata(notes.path()).unwrap().permissions().mode() & 0o777, 0o600);
    }

    // rule: L7
    #[tokio::test]
    async fn what_is_no_text_is_left_alone() {
        let directory = tempfile::TempDir::new().unwrap();
        let notes = Notes::at(directory.path().join("a.md"));
        for content in [&b"\xff"[..], &[b'x'; MOST_BYTES + 1]] {
            fs::write(notes.path(), content).unwrap();
            let why = notes.add(vec!["new".to_owned()], &CancellationToken::new()).await.unwrap_err();
            assert!(why.to_string().contains("stay as they are"), "{why}");
            assert_eq!(fs::read(notes.path()).unwrap(), content);
        }
    }
}
