//! Replaces the installed programs with new ones.
//!
//! The new programs are prepared in a directory beside the installed ones, so that each is replaced by a rename: the
//! full program first, since the small one looks for it. If the second rename fails, the first is undone.
//!
//! INVARIANT: at every moment, both installed names are complete programs. A process that is killed between the renames
//! leaves `ready` behind, which the next update finishes first; anything left by an earlier step is removed.

use crate::installation::{FULL, MARKER, SMALL};
use becket_base::file_lock::{LockState, try_lock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The directory of an update, beside the programs.
const STAGING: &str = ".becket-update";
/// The programs that are being unpacked.
const NEW: &str = "new";
/// The programs that are complete and were tried out.
const READY: &str = "ready";
/// The replaced full program, until the small one is replaced.
const OLD: &str = "old";

/// The order of the renames.
const ORDER: [&str; 2] = [FULL, SMALL];

/// The reason why programs were not replaced.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplacementError {
    #[error("another update of `{}` is running", directory.display())]
    Busy { directory: PathBuf },
    #[error("`{}` can't be written to: {why}; update as the user who owns it", directory.display())]
    Directory { directory: PathBuf, why: io::Error },
    #[error("`{}` can't be replaced: {why}", program.display())]
    Program { program: PathBuf, why: io::Error },
    #[error("`{}` can't be replaced: {why}; and `{}` is new already: run the update again", program.display(), replaced.display())]
    Half { program: PathBuf, replaced: PathBuf, why: io::Error },
}

/// The right to replace the programs of a directory, which only one process has at a time.
#[derive(Debug)]
pub(crate) struct Replacement {
    directory: PathBuf,
    /// The lock, which is held until this is dropped.
    _marker: File,
}

/// A directory for new programs. It is removed when dropped, unless they were put in place.
#[derive(Debug)]
pub(crate) struct Staging<'a> {
    of: &'a Replacement,
}

/// Returns true if an update of a directory was interrupted between its renames.
pub(crate) fn is_interrupted(directory: &Path) -> bool {
    directory.join(STAGING).join(READY).is_dir()
}

impl Replacement {
    /// Locks a directory of programs.
    pub(crate) fn begin(directory: &Path) -> Result<Self, ReplacementError> {
        let refused = |why| ReplacementError::Directory { directory: directory.to_owned(), why };
        let marker = File::open(directory.join(MARKER)).map_err(refused)?;
        match try_lock(&marker).map_err(refused)? {
            LockState::Held | LockState::Unsupported => {}
            LockState::Busy => return Err(ReplacementError::Busy { directory: directory.to_owned() }),
        }
        Ok(Replacement { directory: directory.to_owned(), _marker: marker })
    }

    fn staging(&self) -> PathBuf {
        self.directory.join(STAGING)
    }

    /// Finishes an update that was interrupted between its renames; returns whether there was one.
    pub(crate) fn finish_interrupted(&self) -> Result<bool, ReplacementError> {
        if !is_interrupted(&self.directory) {
            return Ok(false);
        }
        for name in ORDER {
            self.put(name)?;
        }
        self.remove()?;
        Ok(true)
    }

    /// Creates the directory for new programs. The remains of an interrupted download are removed.
    pub(crate) fn stage(&self) -> Result<Staging<'_>, ReplacementError> {
        self.remove()?;
        let created =
            create_private(&self.staging()).and_then(|()| create_private(&self.staging().join(NEW)));
        // Created first, so that everything created afterwards is removed.
        let staging = Staging { of: self };
        created.map_err(|why| ReplacementError::Directory { directory: self.directory.clone(), why })?;
        Ok(staging)
    }

    fn remove(&self) -> Result<(), ReplacementError> {
        match fs::remove_dir_all(self.staging()) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => {
                Err(ReplacementError::Directory { directory: self.directory.clone(), why })
            }
            _ => Ok(()),
        }
    }

    /// Puts a program that is ready in its place, if this has not been done before.
    fn put(&self, name: &str) -> Result<(), ReplacementError> {
        let (from, to) = (self.staging().join(READY).join(name), self.directory.join(name));
        if !from.exists() {
            return Ok(());
        }
        fs::rename(from, &to).map_err(|why| ReplacementError::Program { program: to, why })?;
        sync(&self.directory);
        Ok(())
    }

    /// Keeps the installed full program, to undo its replacement.
    fn keep_old(&self) -> io::Result<()> {
        let old = self.staging().join(OLD);
        let installed = self.directory.join(FULL);
        if !installed.exists() {
            return Ok(());
        }
        fs::create_dir(&old)?;
        fs::hard_link(&installed, old.join(FULL)).or_else(|_| fs::copy(&installed, old.join(FULL)).map(drop))
    }

    /// Undoes the replacement of the full program, since the small one could not be replaced.
    fn undo(&self, error: ReplacementError) -> ReplacementError {
        let (old, installed) = (self.staging().join(OLD).join(FULL), self.directory.join(FULL));
        let undone = match old.exists() {
            true => fs::rename(old, &installed),
            false => fs::remove_file(&installed),
        };
        match (undone, error) {
            (Err(_), ReplacementError::Program { program, why }) => {
                ReplacementError::Half { program, replaced: installed, why }
            }
            (_, error) => error,
        }
    }
}

impl Staging<'_> {
    /// Returns the place of the archive.
    pub(crate) fn archive(&self) -> PathBuf {
        self.of.staging().join("archive")
    }

    /// Returns the directory of the new programs.
    pub(crate) fn programs(&self) -> PathBuf {
        self.of.staging().join(NEW)
    }

    /// Replaces the installed programs: all of them or none.
    pub(crate) fn put_in_place(self) -> Result<(), ReplacementError> {
        let of = self.of;
        let refused = |why| ReplacementError::Directory { directory: of.directory.clone(), why };
        of.keep_old().map_err(refused)?;
        sync(&self.programs());
        let has_full = self.programs().join(FULL).exists();
        fs::rename(self.programs(), of.staging().join(READY)).map_err(refused)?;
        sync(&of.staging());
        of.put(FULL)?;
        of.put(SMALL).map_err(|error| if has_full { of.undo(error) } else { error })
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        // The next update removes what can't be removed now.
        drop(self.of.remove());
    }
}

fn create_private(directory: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has a mode"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Makes the names in a directory durable. If the system can't synchronise a directory, they become durable with time.
fn sync(directory: &Path) {
    drop(File::open(directory).and_then(|directory| directory.sync_all()));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a directory with both programs, as `install.sh` does.
    fn installed() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in [(MARKER, "{}"), (FULL, "old full"), (SMALL, "old small")] {
            fs::write(directory.path().join(name), text).unwrap();
        }
        directory
    }

    fn staged(replacement: &Replacement) -> Staging<'_> {
        let staging = replacement.stage().unwrap();
        for (name, text) in [(FULL, "new full"), (SMALL, "new small")] {
            fs::write(staging.programs().join(name), text).unwrap();
        }
        staging
    }

    /// Returns the contents of both programs, and whether anything else was left.
    fn programs(directory: &Path) -> (String, String, bool) {
        let read = |name: &str| fs::read_to_string(directory.join(name)).unwrap();
        (read(FULL), read(SMALL), directory.join(STAGING).exists())
    }

    fn old() -> (String, String, bool) {
        ("old full".to_owned(), "old small".to_owned(), false)
    }

    fn new() -> (String, String, bool) {
        ("new full".to_owned(), "new small".to_owned(), false)
    }

    #[test]
    fn both_programs_are_replaced_and_nothing_is_left() {
        let directory = installed();
        let replacement = Replacement::begin(directory.path()).unwrap();
        assert!(!replacement.finish_interrupted().unwrap());
        staged(&replacement).put_in_place().unwrap();
        assert_eq!(programs(directory.path()), new());
    }

    #[test]
    fn an_update_that_ends_before_it_is_ready_changes_nothing() {
        let directory = installed();
        let replacement = Replacement::begin(directory.path()).unwrap();
        drop(staged(&replacement));
        assert_eq!(programs(directory.path()), old());
        // As if killed: nothing is dropped.
        std::mem::forget(staged(&replacement));
        assert!(!is_interrupted(directory.path()));
        staged(&replacement).put_in_place().unwrap();
        assert_eq!(programs(directory.path()), new());
    }

    #[test]
    fn an_update_that_is_killed_between_the_renames_is_finished_by_the_next() {
        // The process is killed before the first rename, between both, or after both.
        for renames in 0..=ORDER.len() {
            let directory = installed();
            {
                let replacement = Replacement::begin(directory.path()).unwrap();
                let staging = staged(&replacement);
                replacement.keep_old().unwrap();
                fs::rename(staging.programs(), replacement.staging().join(READY)).unwrap();
                ORDER[..renames].iter().for_each(|name| replacement.put(name).unwrap());
                std::mem::forget(staging);
            }
            let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
            assert_eq!(read(FULL).starts_with("new"), renames > 0);
            assert_eq!(read(SMALL).starts_with("new"), renames > 1);
            assert!(is_interrupted(directory.path()));
            let next = Replacement::begin(directory.path()).unwrap();
            assert!(next.finish_interrupted().unwrap());
            assert_eq!(programs(directory.path()), new(), "{renames}");
        }
    }

    #[test]
    fn if_the_small_program_can_t_be_replaced_neither_is() {
        let directory = installed();
        // A directory that is not empty is not replaced by a file.
        fs::remove_file(directory.path().join(SMALL)).unwrap();
        fs::create_dir_all(directory.path().join(SMALL).join("inside")).unwrap();
        let replacement = Replacement::begin(directory.path()).unwrap();
        let error = staged(&replacement).put_in_place().unwrap_err();
        assert!(error.to_string().contains("can't be replaced"), "{error}");
        assert_eq!(fs::read_to_string(directory.path().join(FULL)).unwrap(), "old full");
        assert!(!directory.path().join(STAGING).exists());
    }

    #[test]
    fn one_update_runs_at_a_time() {
        let directory = installed();
        let _first = Replacement::begin(directory.path()).unwrap();
        let second = Replacement::begin(directory.path());
        assert!(matches!(second, Err(ReplacementError::Busy { .. })), "{second:?}");
    }
}
