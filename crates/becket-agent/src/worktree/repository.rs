//! The location of a repository: read from its files, without running a program.

use super::error::WorktreeError;
use std::fs;
use std::path::{Path, PathBuf};

/// The maximum size of a file that points to a directory, in bytes.
const LONGEST: u64 = 64 << 10;

/// A repository, as seen from a directory.
#[derive(Debug, Clone)]
pub(super) struct Repository {
    /// The working tree that contains the directory.
    pub(super) top: PathBuf,
    /// The main working tree, or that of the directory if there is none.
    pub(super) root: PathBuf,
    /// The directory that all working trees share.
    pub(super) common: PathBuf,
}

impl Repository {
    /// Returns the repository that contains a directory: its nearest ancestor with a `.git`.
    pub(super) fn around(cwd: &Path) -> Result<Self, WorktreeError> {
        let none = || WorktreeError::NoRepository { at: cwd.to_owned() };
        let real = cwd.canonicalize().map_err(WorktreeError::io(cwd))?;
        let top =
            real.ancestors().find(|place| place.join(".git").symlink_metadata().is_ok()).ok_or_else(none)?;
        let dot_git = top.join(".git");
        let own = if dot_git.is_dir() { Some(dot_git) } else { pointed_to(&dot_git) };
        let own = own.and_then(|own| own.canonicalize().ok()).ok_or_else(none)?;
        let shared = text(&own.join("commondir")).map(|text| own.join(text.trim_end()));
        let common = shared.and_then(|shared| shared.canonicalize().ok()).unwrap_or(own);
        let is_main = common.file_name().is_some_and(|name| name == ".git");
        let main = common.parent().filter(|_| is_main).unwrap_or(top).to_owned();
        Ok(Self { top: top.to_owned(), root: main, common })
    }

    /// Returns git's own directory for the worktree at `path`.
    pub(super) fn own_part(&self, path: &Path) -> Option<PathBuf> {
        let entries = fs::read_dir(self.common.join("worktrees")).ok()?;
        let parts = entries.flatten().map(|entry| entry.path());
        parts.into_iter().find(|part| {
            let points = text(&part.join("gitdir"));
            points.is_some_and(|to| Path::new(to.trim_end()).parent().is_some_and(|tree| is_same(tree, path)))
        })
    }

    /// Returns git's own directory for the worktree at `path`, if that worktree points back to it.
    pub(super) fn part_of(&self, path: &Path) -> Option<PathBuf> {
        let part = self.own_part(path)?;
        pointed_to(&path.join(".git")).filter(|to| is_same(to, &part)).map(|_| part)
    }
}

/// Returns whether two paths are the same, even if the file does not exist.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Returns the target of a `.git` file.
fn pointed_to(file: &Path) -> Option<PathBuf> {
    let text = text(file)?;
    let to = text.strip_prefix("gitdir:")?.trim();
    Some(file.parent()?.join(to))
}

/// Returns the content of a short text file that is not a link.
pub(super) fn text(file: &Path) -> Option<String> {
    let found = file.symlink_metadata().ok()?;
    (found.is_file() && found.len() <= LONGEST).then(|| fs::read_to_string(file).ok()).flatten()
}
