//! Files that only the user of the session may read: environment files (H12) and texts too long to show (O8).
//!
//! They are in a directory that the host names and keeps, or in one of the engine's own, which is removed with it.

use becket_base::private_file;
use becket_model::{EventKind, HandlerOrigin, SessionId};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The events whose hooks may set variables for later shell tools, in the order in which the files count (H12).
const ENV_EVENTS: [EventKind; 4] =
    [EventKind::Setup, EventKind::SessionStart, EventKind::CwdChanged, EventKind::FileChanged];

/// The private files of an engine.
#[derive(Debug)]
pub(crate) struct PrivateFiles {
    given: Option<PathBuf>,
    parent: PathBuf,
    own: OnceLock<PathBuf>,
    made: Mutex<u64>,
}

/// The reason why a private file could not be created.
#[derive(Debug, thiserror::Error)]
#[error("can't make the private file `{path}`: {source}; check that its directory is writable and not full")]
pub(crate) struct PrivateFileError {
    path: PathBuf,
    source: io::Error,
}

impl PrivateFiles {
    /// Creates files in `given`, which the host keeps, or else in a directory under `temp` that is removed with the
    /// engine.
    pub(crate) fn new(given: Option<PathBuf>, temp: PathBuf) -> Self {
        PrivateFiles { given, parent: temp, own: OnceLock::new(), made: Mutex::new(0) }
    }

    /// Returns the environment file of an event's handler: empty at first, the same in later runs of the session (H12).
    pub(crate) fn env_file(
        &self,
        session: &SessionId,
        event: EventKind,
        place: &HandlerOrigin,
    ) -> Result<PathBuf, PrivateFileError> {
        let dir = self.session_dir(session)?.join("env");
        make_dir(&dir)?;
        let rank = ENV_EVENTS.iter().position(|known| *known == event).unwrap_or(ENV_EVENTS.len());
        let name =
            format!("{rank}-{:020}-{:016x}.sh", place.position, digest(&(&place.label, &place.source)));
        let path = dir.join(name);
        if is_file(&path) {
            return Ok(path);
        }
        // A link or a pipe that a hook put there instead is removed; if it is a directory, the creation fails.
        let _ = fs::remove_file(&path);
        match private_file::create_new(&path) {
            Ok(_) => Ok(path),
            Err(_) if is_file(&path) => Ok(path),
            Err(source) => Err(PrivateFileError { path, source }),
        }
    }

    /// Returns the session's environment files in the order in which a shell evaluates them: later ones win (H12).
    pub(crate) fn env_files(&self, session: &SessionId) -> Vec<PathBuf> {
        let Some(root) = self.root_if_any() else { return Vec::new() };
        let entries = fs::read_dir(root.join(session_name(session)).join("env"));
        let mut files: Vec<PathBuf> =
            entries.into_iter().flatten().filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        // A hook can write to the directory: other files that it leaves there are never evaluated, nor waited for.
        files.retain(|file| is_env_name(file) && is_file(file));
        files.sort();
        files
    }

    /// Stores a text in full and returns its path (O8).
    pub(crate) fn keep(&self, session: &SessionId, text: &str) -> Result<PathBuf, PrivateFileError> {
        let dir = self.session_dir(session)?.join("texts");
        make_dir(&dir)?;
        loop {
            let number = self.next_number();
            let path = dir.join(format!("{number:04}.txt"));
            match private_file::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(PrivateFileError { path, source }),
            }
        }
    }

    /// Creates an empty directory for one run, which is removed when the returned value is dropped.
    pub(crate) fn run_dir(&self, session: &SessionId) -> Result<RunDirectory, PrivateFileError> {
        let parent = self.session_dir(session)?.join("runs");
        make_dir(&parent)?;
        loop {
            let number = self.next_number();
            let path = parent.join(format!("{}-{number:04}", std::process::id()));
            match make_new_dir(&path) {
                Ok(()) => return Ok(RunDirectory(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(PrivateFileError { path, source }),
            }
        }
    }

    fn next_number(&self) -> u64 {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        *made += 1;
        *made
    }

    /// Returns the directory with the texts of a session, if there are any.
    pub(crate) fn texts(&self, session: &SessionId) -> Option<PathBuf> {
        Some(self.root_if_any()?.join(session_name(session)).join("texts"))
    }

    /// Removes everything of one session.
    pub(crate) fn forget(&self, session: &SessionId) {
        if let Some(root) = self.root_if_any() {
            // A missing directory needs no removal; one that can't be removed now is removed with its parent.
            let _ = fs::remove_dir_all(root.join(session_name(session)));
        }
    }

    fn root_if_any(&self) -> Option<&Path> {
        self.given.as_deref().or_else(|| self.own.get().map(PathBuf::as_path))
    }

    fn session_dir(&self, session: &SessionId) -> Result<PathBuf, PrivateFileError> {
        let root = match &self.given {
            Some(given) => given.clone(),
            None => self.own_root()?,
        };
        match &self.given {
            // The host may keep its directory behind a link.
            Some(given) if given.is_dir() => {}
            Some(_) | None => make_dir(&root)?,
        }
        let dir = root.join(session_name(session));
        make_dir(&dir)?;
        Ok(dir)
    }

    fn own_root(&self) -> Result<PathBuf, PrivateFileError> {
        if let Some(root) = self.own.get() {
            return Ok(root.clone());
        }
        let mut guard = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = self.own.get() {
            return Ok(root.clone());
        }
        loop {
            *guard += 1;
            let mark = digest(&(std::process::id(), *guard, std::time::SystemTime::now()));
            let root = self.parent.join(format!("becket-{mark:016x}"));
            match make_new_dir(&root) {
                Ok(()) => return Ok(self.own.get_or_init(|| root).clone()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(PrivateFileError { path: root, source }),
            }
        }
    }
}

impl Drop for PrivateFiles {
    fn drop(&mut self) {
        if let Some(own) = self.own.get() {
            let _ = fs::remove_dir_all(own);
        }
    }
}

/// A directory that is removed, with everything in it, when this value is dropped.
#[derive(Debug)]
pub(crate) struct RunDirectory(PathBuf);

impl RunDirectory {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        // If it can't be removed now, it is removed with the session.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns a session's id as a file name: readable if it is plain, and always unique.
fn session_name(session: &SessionId) -> String {
    let plain: String =
        session.as_str().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    format!("{plain}-{:016x}", digest(&session.as_str()))
}

fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns whether a path is a regular file and not a link to one.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Returns whether the name is one that [`PrivateFiles::env_file`] gives: rank, position, digest.
fn is_env_name(path: &Path) -> bool {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let lengths: Vec<usize> = name.split('-').map(str::len).collect();
    lengths == [1, 20, 16] && name.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

/// Returns whether the path is a directory of this user, and not a link to one: another user may have taken names under
/// a shared directory.
#[cfg(unix)]
fn is_own_dir(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path)
        .is_ok_and(|found| found.is_dir() && found.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_own_dir(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Creates a directory that only this user may enter, unless it exists already.
pub(crate) fn make_dir(path: &Path) -> Result<(), PrivateFileError> {
    match make_new_dir(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_own_dir(path) => Ok(()),
        Err(source) => Err(PrivateFileError { path: path.to_owned(), source }),
    }
}

fn make_new_dir(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    private_file::create_new_dir(path)
}
