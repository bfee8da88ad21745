//! A worktree created by git: created, undone, reused, removed.
//!
//! `git worktree add` itself checks out no files: that would run the repository's filters and hooks. The shadow does
//! it.

use super::error::WorktreeError;
use super::git::{At, Git, words};
use super::repository::{Repository, text};
use super::shadow::Shadow;
use becket_base::file_lock::{LockState, lock_async};
use becket_engine::CancellationToken;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The file in a worktree's part of the repository that marks it as created by Becket, with its first commit; a session
/// that works in it holds its lock.
const MARK: &str = "becket";

/// The file there which says that the worktree's files may be missing for a while.
const LOCKED: &str = "locked";

/// The number of attempts to lock it, with a delay in between: a search for leftovers holds the lock, too.
const ATTEMPTS: usize = 8;
const PAUSE: Duration = Duration::from_millis(15);

/// The content that hides the worktrees from `git status` in the main working tree.
const IGNORE: &str = "*\n";

/// A worktree that git has created, or is about to create.
#[derive(Debug, Clone)]
pub(super) struct GitWorktree {
    pub(super) git: Git,
    pub(super) repository: Repository,
    pub(super) path: PathBuf,
    pub(super) branch: String,
    /// The first commit; `None` if another program has created the worktree.
    pub(super) base: Option<String>,
    /// Set if Becket created the branch; only then it may delete it.
    pub(super) owns_branch: Arc<AtomicBool>,
    /// The directory for shadows.
    pub(super) private: PathBuf,
}

/// The treatment of commits when a worktree is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commits {
    /// A branch with commits is kept.
    Keep,
    /// The commits are discarded with the branch.
    Discard,
}

impl GitWorktree {
    /// Takes over an existing worktree at the path; `None` if there is none.
    pub(super) async fn take_up(&mut self) -> Result<Option<File>, WorktreeError> {
        if self.path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let taken = || WorktreeError::PathOccupied { path: self.path.clone() };
        let part = self.repository.part_of(&self.path).ok_or_else(taken)?;
        let held = hold(&part, &self.path).await?;
        self.base = marked(&part);
        self.owns_branch.store(self.base.is_some(), Ordering::Release);
        Ok(Some(held))
    }

    /// Takes over a leftover worktree; `None` if it is in use, or was not created by Becket.
    pub(super) async fn take_up_left(&mut self) -> Option<File> {
        let part = self.repository.part_of(&self.path)?;
        marked(&part)?;
        self.take_up().await.ok()?.filter(|_| self.base.is_some())
    }

    /// Claims the path: the process that creates the directory owns it, and no other one creates anything there. A
    /// registered worktree without files is pruned.
    pub(super) fn claim(&self) -> Result<(), WorktreeError> {
        self.make_directory()?;
        let forgotten = self.forget_lost().and_then(|()| self.ignore());
        if forgotten.is_err() {
            drop(fs::remove_dir(&self.path));
            self.tidy();
        }
        forgotten
    }

    /// Makes git forget a worktree at this path whose files are missing, since the path was free.
    fn forget_lost(&self) -> Result<(), WorktreeError> {
        let Some(part) = self.repository.own_part(&self.path) else { return Ok(()) };
        if part.join(LOCKED).symlink_metadata().is_ok() {
            return Err(WorktreeError::PathOccupied { path: self.path.clone() });
        }
        fs::remove_dir_all(&part).map_err(WorktreeError::io(&part))
    }

    /// Creates the worktree at the claimed path: the branch, git's metadata, the files. If it fails,
    /// [`GitWorktree::undo`] removes what is left.
    pub(super) async fn make(&self, cancel: &CancellationToken) -> Result<File, WorktreeError> {
        let at = At::found(&self.repository.top);
        let base = self.base.as_deref().unwrap_or("HEAD");
        self.begin_branch(&at, base, cancel).await?;
        let mut add = words(["worktree", "add", "-q", "--no-checkout", "--"]);
        add.extend([self.path.as_os_str(), OsStr::new(&self.branch)]);
        self.git.ask(&at, "make the worktree", add, cancel).await?;
        let lost = || WorktreeError::Git {
            doing: "make the worktree",
            output: "it has none at that place".to_owned(),
        };
        let part = self.repository.part_of(&self.path).ok_or_else(lost)?;
        // Locked before it is marked as removable, so that another process does not mistake it for a leftover.
        let mut held = hold(&part, &self.path).await?;
        held.write_all(base.as_bytes()).map_err(WorktreeError::io(&part))?;
        let shadow = self.shadow(&part, cancel).await?;
        let fill = words(["read-tree", "--reset", "-u", "--no-recurse-submodules", base]);
        self.git.ask(shadow.at(), "check the files out", fill, cancel).await?;
        Ok(held)
    }

    /// Undoes everything that [`GitWorktree::make`] has created before it failed with this error, and nothing else.
    pub(super) async fn undo(&self, error: &WorktreeError) {
        // If another session has taken over the new worktree before it was locked, it belongs to that session.
        if !matches!(error, WorktreeError::InUse { .. }) {
            drop(self.remove().await);
        }
    }

    /// Creates the branch; an existing one is unchanged.
    async fn begin_branch(
        &self,
        at: &At,
        base: &str,
        cancel: &CancellationToken,
    ) -> Result<(), WorktreeError> {
        let taken = || WorktreeError::Branch { branch: self.branch.clone() };
        if self.has_branch(cancel).await? {
            return Err(taken());
        }
        self.owns_branch.store(true, Ordering::Release);
        let name = self.reference();
        // The empty argument means that the branch must not exist: git checks again, under its lock.
        let begin = words(["update-ref", &name, base, ""]);
        let Err(error) = self.git.ask(at, "begin the branch", begin, cancel).await else { return Ok(()) };
        if cancel.is_cancelled() {
            return Err(error);
        }
        self.owns_branch.store(false, Ordering::Release);
        Err(if self.has_branch(cancel).await? { taken() } else { error })
    }

    /// Returns whether the branch exists.
    ///
    /// # Errors
    /// Errors if that can't be determined.
    pub(super) async fn has_branch(&self, cancel: &CancellationToken) -> Result<bool, WorktreeError> {
        let name = self.reference();
        let look = words(["rev-parse", "--verify", "-q", &name]);
        let at = At::found(&self.repository.top);
        let found = self.git.find_out(&at, "look for the branch", look, cancel);
        Ok(found.await?.is_some())
    }

    fn reference(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    pub(super) async fn shadow(
        &self,
        part: &Path,
        cancel: &CancellationToken,
    ) -> Result<Shadow, WorktreeError> {
        let base = self.base.as_deref().unwrap_or_default();
        Shadow::make(&self.git, &self.repository, part, &self.path, base, &self.private, cancel).await
    }

    /// Removes the worktree with all of git's metadata, whatever its content and however complete it is; its branch
    /// only if that has no commits of its own.
    pub(super) async fn remove(&self) -> Result<(), WorktreeError> {
        self.remove_with(Commits::Keep).await
    }

    /// Removes the worktree with its branch, whatever commits that has.
    pub(super) async fn discard(&self) -> Result<(), WorktreeError> {
        self.remove_with(Commits::Discard).await
    }

    async fn remove_with(&self, commits: Commits) -> Result<(), WorktreeError> {
        let never = CancellationToken::new();
        let at = At::found(&self.repository.top);
        let mut remove = words(["worktree", "remove", "--force", "--force", "--"]);
        remove.push(self.path.as_os_str());
        // A worktree that was only begun is unknown to git.
        let removed = self.git.ask(&at, "remove the worktree", remove, &never).await;
        if self.path.symlink_metadata().is_ok() {
            fs::remove_dir_all(&self.path).map_err(WorktreeError::io(&self.path))?;
        }
        if let Some(part) = self.repository.own_part(&self.path) {
            fs::remove_dir_all(&part).map_err(WorktreeError::io(&part))?;
        } else if removed.is_err() {
            // Git keeps the parent directory that it creates with the first worktree.
            drop(fs::remove_dir(self.repository.common.join("worktrees")));
        }
        if let Some(base) = self.base.as_ref().filter(|_| self.owns_branch.load(Ordering::Acquire))
            && self.has_branch(&never).await?
        {
            // Only if it is still at its first commit: anything else is work, which only its owner may discard. Not
            // `git branch -D`, which would lock and write the configuration while others may do so.
            let name = self.reference();
            let mut delete = words(["update-ref", "-d", &name]);
            if commits == Commits::Keep {
                delete.push(OsStr::new(base));
            }
            self.git.ask(&at, "delete the branch", delete, &never).await?;
        }
        self.tidy();
        Ok(())
    }

    /// Creates the directory, which must not exist, and its parents, without a link in the path below the main working
    /// tree.
    fn make_directory(&self) -> Result<(), WorktreeError> {
        for attempt in 1.. {
            self.make_parents()?;
            match DirBuilder::new().create(&self.path) {
                Ok(()) => break,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    return Err(WorktreeError::PathOccupied { path: self.path.clone() });
                }
                // Another process has removed the parent with its last worktree.
                Err(error) if error.kind() == ErrorKind::NotFound && attempt < ATTEMPTS => {}
                Err(error) => return Err(WorktreeError::io(&self.path)(error)),
            }
        }
        Ok(())
    }

    fn make_parents(&self) -> Result<(), WorktreeError> {
        let parent = self.path.parent().unwrap_or(&self.path);
        let below = parent.strip_prefix(&self.repository.root).unwrap_or(parent);
        let mut place = self.repository.root.clone();
        for part in below.components() {
            place.push(part);
            match DirBuilder::new().create(&place) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(WorktreeError::io(&place)(error));
                }
                Ok(()) | Err(_) => {}
            }
            if !place.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                return Err(WorktreeError::Link { path: place });
            }
        }
        Ok(())
    }

    /// Hides the worktree from the main working tree's status. An existing file of another author is unchanged.
    fn ignore(&self) -> Result<(), WorktreeError> {
        let ignore = self.path.with_file_name(".gitignore");
        match OpenOptions::new().write(true).create_new(true).open(&ignore) {
            Ok(mut file) => file.write_all(IGNORE.as_bytes()).map_err(WorktreeError::io(&ignore)),
            Err(_) => Ok(()),
        }
    }

    /// Removes the surrounding directories after the last worktree.
    fn tidy(&self) {
        let Some(parent) = self.path.parent() else { return };
        let ignore = parent.join(".gitignore");
        let others = fs::read_dir(parent).map_or(2, |entries| entries.take(2).count());
        if others == 1 && text(&ignore).as_deref() == Some(IGNORE) {
            drop(fs::remove_file(ignore));
            // They are kept if they contain anything else.
            drop(fs::remove_dir(parent));
            drop(parent.parent().map(fs::remove_dir));
        }
    }
}

/// Returns the commit at which Becket has created a worktree.
fn marked(part: &Path) -> Option<String> {
    text(&part.join(MARK)).map(|base| base.trim().to_owned()).filter(|base| !base.is_empty())
}

/// Returns the directory of git's worktrees: in `folder` (`.claude`) of the main working tree.
pub(super) fn places(repository: &Repository, folder: &str) -> PathBuf {
    repository.root.join(folder).join("worktrees")
}

/// Locks a worktree for this session; the lock is released when the process ends, however it ends.
async fn hold(part: &Path, path: &Path) -> Result<File, WorktreeError> {
    let mark = part.join(MARK);
    let file = OpenOptions::new().read(true).append(true).create(true).open(&mark);
    let file = file.map_err(WorktreeError::io(&mark))?;
    match lock_async(&file, [PAUSE; ATTEMPTS - 1]).await.map_err(WorktreeError::io(&mark))? {
        LockState::Held | LockState::Unsupported => Ok(file),
        LockState::Busy => Err(WorktreeError::InUse { path: path.to_owned() }),
    }
}

#[cfg(all(test, unix))]
mod tests;
