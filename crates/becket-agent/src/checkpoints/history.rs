//! The checkpoints of one session.

use super::index::{self, IndexEntry};
use super::line_counts::LineCounts;
use becket_base::private_file;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The index file next to the copies.
const INDEX: &str = "index.jsonl";

/// Keeps the checkpoints of a session. Cheap to clone; all clones are the same.
#[derive(Debug, Clone)]
pub struct Checkpoints(Arc<Mutex<History>>);

#[derive(Debug)]
struct History {
    root: PathBuf,
    session: String,
    entries: Vec<IndexEntry>,
}

/// Files that a rewind has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewound {
    /// Their paths.
    pub files: Vec<PathBuf>,
    /// The lines that the rewind adds and removes.
    pub lines: LineCounts,
    /// The number of files that were skipped: links, pipes and other special files.
    pub skipped: usize,
    /// The checkpoint of the state before the rewind, which can undo it; `None` if nothing was changed.
    pub undo: Option<String>,
}

/// The reason why files can't be rewound, or only some of them.
#[derive(Debug, thiserror::Error)]
pub enum RewindError {
    /// No prompt of this session has this id.
    #[error("no file checkpoint of the message `{id}`: name a prompt of this session by its uuid")]
    Unknown {
        /// The id.
        id: String,
    },
    /// The current state can't be copied, so nothing was changed.
    #[error("can't save `{}` before it is replaced, so nothing was changed: {source}", path.display())]
    Save {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file can't be restored; the files before it were.
    #[error("can't restore `{}`: {source}; to undo what was restored, rewind to `{undo}`", path.display())]
    Restore {
        /// The file.
        path: PathBuf,
        /// The checkpoint of the state before.
        undo: String,
        /// The system's error.
        source: io::Error,
    },
}

impl Checkpoints {
    /// Keeps copies in directories below `root`, one for each session.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let history = History { root: root.into(), session: String::new(), entries: Vec::new() };
        Self(Arc::new(Mutex::new(history)))
    }

    /// Opens a checkpoint: the state of all files at this prompt of a session.
    ///
    /// # Errors
    /// Errors if the index can't be read or written.
    pub fn open(&self, session: &str, prompt: &str) -> io::Result<()> {
        let mut history = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        history.enter(session)?;
        history.add(IndexEntry::Checkpoint { id: prompt.to_owned() })
    }

    /// Copies a file that is about to be edited, unless it was copied since the last checkpoint.
    ///
    /// # Errors
    /// Errors if the copy can't be written. Anything but a regular file is skipped.
    pub fn before_edit(&self, path: &Path) -> io::Result<()> {
        let mut history = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_begun = history.entries.iter().any(|entry| matches!(entry, IndexEntry::Checkpoint { .. }));
        if !has_begun || history.is_copied(path) {
            return Ok(());
        }
        history.copy(path)
    }

    /// Restores each file edited since that prompt to its content at that prompt; `dry` only finds them.
    ///
    /// # Errors
    /// See [`RewindError`].
    pub fn rewind(&self, session: &str, prompt: &str, dry: bool) -> Result<Rewound, RewindError> {
        let mut history = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let unknown = || RewindError::Unknown { id: prompt.to_owned() };
        history.enter(session).map_err(|_| unknown())?;
        let then = history.state_at(prompt).ok_or_else(unknown)?;
        let (differing, skipped) = history.differing(then);
        let files: Vec<PathBuf> = differing.keys().cloned().collect();
        let lines = history.count_lines(&differing);
        if dry || files.is_empty() {
            return Ok(Rewound { files, lines, skipped, undo: None });
        }
        let undo = uuid::Uuid::new_v4().to_string();
        history.save(&undo, &files)?;
        for (path, copy) in differing {
            history.restore(&path, copy.as_deref()).map_err(|source| RewindError::Restore {
                path: path.clone(),
                undo: undo.clone(),
                source,
            })?;
        }
        Ok(Rewound { files, lines, skipped, undo: Some(undo) })
    }
}

impl History {
    fn directory(&self) -> PathBuf {
        self.root.join(&self.session)
    }

    /// Switches to the copies of a session.
    fn enter(&mut self, session: &str) -> io::Result<()> {
        if self.session != session {
            self.entries = index::read(&self.root.join(session).join(INDEX))?;
            session.clone_into(&mut self.session);
        }
        Ok(())
    }

    fn add(&mut self, entry: IndexEntry) -> io::Result<()> {
        index::append(&self.directory().join(INDEX), &entry)?;
        self.entries.push(entry);
        Ok(())
    }

    /// Returns whether the file was copied since the last checkpoint.
    fn is_copied(&self, wanted: &Path) -> bool {
        let since = self.entries.iter().rev().take_while(|entry| matches!(entry, IndexEntry::File { .. }));
        since.into_iter().any(|entry| matches!(entry, IndexEntry::File { path, .. } if path == wanted))
    }

    fn copy(&mut self, path: &Path) -> io::Result<()> {
        let copy = match state(path)? {
            FileState::Absent => None,
            FileState::Regular => {
                let name = uuid::Uuid::new_v4().to_string();
                let to = self.directory().join(&name);
                private_file::create_parent(&to)?;
                fs::copy(path, &to)?;
                Some(name)
            }
            FileState::Other => return Ok(()),
        };
        self.add(IndexEntry::File { path: path.to_owned(), copy })
    }

    /// Returns the state of each file edited since a checkpoint: its first copy after it.
    fn state_at(&self, checkpoint: &str) -> Option<BTreeMap<PathBuf, Option<String>>> {
        let is_it = |entry: &IndexEntry| matches!(entry, IndexEntry::Checkpoint { id } if id == checkpoint);
        let at = self.entries.iter().rposition(is_it)?;
        let mut then = BTreeMap::new();
        for entry in &self.entries[at..] {
            if let IndexEntry::File { path, copy } = entry {
                then.entry(path.clone()).or_insert_with(|| copy.clone());
            }
        }
        Some(then)
    }

    /// Returns the files whose state differs now, and the number of files that are skipped.
    fn differing(
        &self,
        then: BTreeMap<PathBuf, Option<String>>,
    ) -> (BTreeMap<PathBuf, Option<String>>, usize) {
        let mut skipped = 0;
        let mut differing = BTreeMap::new();
        for (path, copy) in then {
            let is_same = match (state(&path), &copy) {
                (Ok(FileState::Other), _) => {
                    skipped += 1;
                    continue;
                }
                (Ok(FileState::Absent), None) => true,
                (Ok(FileState::Regular), Some(copy)) => {
                    matches!((fs::read(&path), fs::read(self.directory().join(copy))), (Ok(now), Ok(then)) if now == then)
                }
                (Ok(FileState::Absent | FileState::Regular) | Err(_), _) => false,
            };
            if !is_same {
                differing.insert(path, copy);
            }
        }
        (differing, skipped)
    }

    /// Counts the lines by which the current files differ from their copies.
    fn count_lines(&self, differing: &BTreeMap<PathBuf, Option<String>>) -> LineCounts {
        let pairs = differing.iter().map(|(path, copy)| {
            let then = copy.as_ref().map(|copy| self.directory().join(copy));
            LineCounts::between(Some(path), then.as_deref())
        });
        pairs.sum()
    }

    /// Copies the current files, under a checkpoint of their own.
    fn save(&mut self, checkpoint: &str, files: &[PathBuf]) -> Result<(), RewindError> {
        let failed = |path: &Path, source| RewindError::Save { path: path.to_owned(), source };
        self.add(IndexEntry::Checkpoint { id: checkpoint.to_owned() })
            .map_err(|source| failed(&self.directory(), source))?;
        for path in files {
            self.copy(path).map_err(|source| failed(path, source))?;
        }
        Ok(())
    }

    fn restore(&self, path: &Path, copy: Option<&str>) -> io::Result<()> {
        let Some(copy) = copy else { return fs::remove_file(path) };
        let from = self.directory().join(copy);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        // Written next to the file first: an interrupted restore leaves the file intact.
        let beside = path.with_file_name(format!(".{copy}"));
        let done = fs::copy(&from, &beside).and_then(|_| fs::rename(&beside, path));
        done.inspect_err(|_| drop(fs::remove_file(&beside)))
    }
}

/// The kinds of things at a path.
enum FileState {
    Absent,
    Regular,
    /// A link, a directory, a device.
    Other,
}

fn state(path: &Path) -> io::Result<FileState> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(FileState::Regular),
        Ok(_) => Ok(FileState::Other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(FileState::Absent),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "0b9a4a5e-5b1c-4e1f-8a53-1f0f4a1f0a11";

    struct Place {
        dir: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            Self { dir: tempfile::tempdir().unwrap() }
        }

        fn checkpoints(&self) -> Checkpoints {
            Checkpoints::new(self.dir.path().join("history"))
        }

        fn path(&self, name: &str) -> PathBuf {
            self.dir.path().join(name)
        }

        fn edit(&self, checkpoints: &Checkpoints, name: &str, text: &str) {
            checkpoints.before_edit(&self.path(name)).unwrap();
            fs::write(self.path(name), text).unwrap();
        }

        fn text(&self, name: &str) -> Option<String> {
            fs::read_to_string(self.path(name)).ok()
        }
    }

    #[test]
    fn a_rewind_restores_files_and_can_be_undone() {
        let place = Place::new();
        fs::write(place.path("a"), "0").unwrap();
        let kept = place.checkpoints();
        kept.open(SESSION, "one").unwrap();
        place.edit(&kept, "a", "1");
        place.edit(&kept, "a", "2");
        kept.open(SESSION, "two").unwrap();
        place.edit(&kept, "a", "3");
        place.edit(&kept, "new", "x");
        // Another process sees what this one has copied.
        let kept = place.checkpoints();
        let dry = kept.rewind(SESSION, "one", true).unwrap();
        assert_eq!((dry.files.len(), place.text("a").as_deref()), (2, Some("3")));
        assert_eq!(dry.lines, LineCounts { insertions: 1, deletions: 2 }, "a: 3 to 0; new: x to nothing");
        let two = kept.rewind(SESSION, "two", false).unwrap();
        assert_eq!((place.text("a").as_deref(), place.text("new")), (Some("2"), None));
        let one = kept.rewind(SESSION, "one", false).unwrap();
        assert_eq!((place.text("a").as_deref(), one.files.len()), (Some("0"), 1));
        assert_eq!(one.lines, LineCounts { insertions: 1, deletions: 1 });
        kept.rewind(SESSION, &one.undo.unwrap(), false).unwrap();
        assert_eq!(place.text("a").as_deref(), Some("2"));
        kept.rewind(SESSION, &two.undo.unwrap(), false).unwrap();
        assert_eq!((place.text("a").as_deref(), place.text("new").as_deref()), (Some("3"), Some("x")));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link_and_an_unknown_prompt_is_an_error() {
        let place = Place::new();
        let kept = place.checkpoints();
        kept.open(SESSION, "one").unwrap();
        place.edit(&kept, "a", "1");
        fs::write(place.path("other"), "precious").unwrap();
        fs::remove_file(place.path("a")).unwrap();
        std::os::unix::fs::symlink(place.path("other"), place.path("a")).unwrap();
        let done = kept.rewind(SESSION, "one", false).unwrap();
        assert_eq!(
            (done.files.len(), done.skipped, place.text("other").as_deref()),
            (0, 1, Some("precious"))
        );
        assert!(matches!(kept.rewind(SESSION, "never", false), Err(RewindError::Unknown { .. })));
        assert!(matches!(kept.rewind("other", "one", false), Err(RewindError::Unknown { .. })));
    }

    #[test]
    fn a_torn_index_loses_one_line_and_no_copy_leads_out_of_the_directory() {
        let place = Place::new();
        fs::write(place.path("a"), "0").unwrap();
        let kept = place.checkpoints();
        kept.open(SESSION, "one").unwrap();
        place.edit(&kept, "a", "1");
        let index = place.path("history").join(SESSION).join(INDEX);
        let mut text = fs::read_to_string(&index).unwrap();
        text.push_str("\n{\"file\": \"/etc/passwd\", \"copy\": \"../../secret\"}\n{\"chec");
        fs::write(&index, text).unwrap();
        let kept = place.checkpoints();
        kept.open(SESSION, "two").unwrap();
        place.edit(&kept, "a", "2");
        let done = kept.rewind(SESSION, "one", false).unwrap();
        assert_eq!((done.files, place.text("a").as_deref()), (vec![place.path("a")], Some("0")));
    }

    #[test]
    fn an_edit_whose_state_can_not_be_saved_is_reported() {
        let place = Place::new();
        fs::write(place.path("history"), "a file, and no directory").unwrap();
        assert!(place.checkpoints().open(SESSION, "one").is_err());
    }
}
