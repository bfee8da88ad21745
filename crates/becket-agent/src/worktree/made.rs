//! A worktree that git makes: begun, undone, taken up again, removed.
//!
//! No file is checked out by `git worktree add` itself: that would run the repository's filters and hooks. The shadow does.

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

/// The file in a worktree's part of the repository that marks it as made by this program, with its first commit; a
/// session
/// that works in it holds its lock.
const MARK: &str = "becket";

/// The file there that says that its files may be gone for a while.
const LOCKED: &str = "locked";

/// Number of attempts at the lock, and the delay in between: a search for leftovers holds it, too.
const ATTEMPTS: usize = 8;
const PAUSE: Duration = Duration::from_millis(15);

/// Keeps the main tree's `git status` from listing the worktrees.
const IGNORE: &str = "*\n";

/// A worktree that git has made, or is about to.
#[derive(Debug, Clone)]
pub(super) struct GitWorktree {
    pub(super) git: Git,
    pub(super) repository: Repository,
    pub(super) path: PathBuf,
    pub(super) branch: String,
    /// Its first commit; `None` if another program has made it.
    pub(super) base: Option<String>,
    /// Set if this program created the branch, and only then may delete it.
    pub(super) owns_branch: Arc<AtomicBool>,
    /// Directory for shadows.
    pub(super) private: PathBuf,
}

/// Treatment of the commits of a worktree that is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commits {
    /// A branch that has any stays.
    Keep,
    /// They go with the branch.
    Discard,
}

impl GitWorktree {
    /// Takes up the worktree that is at the place already. None if nothing does.
    pub(super) async fn take_up(&mut self) -> Result<Option<File>, WorktreeError> {
        if self.path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let taken = || WorktreeError::Taken { path: self.path.clone() };
        let part = self.repository.part_of(&self.path).ok_or_else(taken)?;
        let held = hold(&part, &self.path).await?;
        self.base = marked(&part);
        self.owns_branch.store(self.base.is_some(), Ordering::Release);
        Ok(Some(held))
    }

    /// Takes up one that was left behind; `None` if it has an owner, or is not of this program.
    pub(super) async fn take_up_left(&mut self) -> Option<File> {
        let part = self.repository.part_of(&self.path)?;
        marked(&part)?;
        self.take_up().await.ok()?.filter(|_| self.base.is_some())
    }

    /// Claims the place: the process that creates its directory owns it, and no other one makes anything there. A
    /// registered
    /// worktree without files is pruned.
    pub(super) fn claim(&self) -> Result<(), WorktreeError> {
        self.make_directory()?;
        let forgotten = self.forget_lost().and_then(|()| self.ignore());
        if forgotten.is_err() {
            drop(fs::remove_dir(&self.path));
            self.tidy();
        }
        forgotten
    }

    /// Has git forget one at this place, whose files are gone since the place was free.
    fn forget_lost(&self) -> Result<(), WorktreeError> {
        let Some(part) = self.repository.own_part(&self.path) else { return Ok(()) };
        if part.join(LOCKED).symlink_metadata().is_ok() {
            return Err(WorktreeError::Taken { path: self.path.clone() });
        }
        fs::remove_dir_all(&part).map_err(WorktreeError::io(&part))
    }

    /// Makes it in the place that was claimed: the branch, what git knows of it, the files. See [`GitWorktree::undo`] for what
    /// is left if something goes wrong.
    pub(super) async fn make(&self, cancel: &CancellationToken) -> Result<File, WorktreeError> {
        let at = At::found(&self.repository.top);
        let base = self.base.as_deref().unwrap_or("HEAD");
        self.begin_branch(&at, base, cancel).await?;
        let mut add = words(["worktree", "add", "-q", "--no-checkout", "--"]);
        add.extend([self.path.as_os_str(), OsStr::new(&self.branch)]);
        self.git.ask(&at, "make the worktree", add, cancel).await?;
        let lost = || WorktreeError::Git {
            doing: "make the worktree",
            said: "it has none at that place".to_owned(),
        };
        let part = self.repository.part_of(&self.path).ok_or_else(lost)?;
        // Locked before it is marked as removable: another process can't take it for a leftover.
        let mut held = hold(&part, &self.path).await?;
        held.write_all(base.as_bytes()).map_err(WorktreeError::io(&part))?;
        let shadow = self.shadow(&part, cancel).await?;
        let fill = words(["read-tree", "--reset", "-u", "--no-recurse-submodules", base]);
        self.git.ask(shadow.at(), "check the files out", fill, cancel).await?;
        Ok(held)
    }

    /// Undoes what [`GitWorktree::make`] has made before it failed with this, and nothing else.
    pub(super) async fn undo(&self, error: &WorktreeError) {
        // Where another session has taken up what was made, before it could be held, it is that one's.
        if !matches!(error, WorktreeError::InUse { .. }) {
            drop(self.remove().await);
        }
    }

    /// Begins the branch; one that is there stays as it is.
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
        // The empty word says that there is none yet: git looks once more, under its lock.
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
    /// That can't be determined.
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

    /// Removes it with all that git knows of it, whatever is in it and however far it had come; its branch only where that
    /// is at its beginning.
    pub(super) async fn remove(&self) -> Result<(), WorktreeError> {
        self.remove_with(Commits::Keep).await
    }

    /// The same with the branch, whatever commits it holds.
    pub(super) async fn discard(&self) -> Result<(), WorktreeError> {
        self.remove_with(Commits::Discard).await
    }

    async fn remove_with(&self, commits: Commits) -> Result<(), WorktreeError> {
        let never = CancellationToken::new();
        let at = At::found(&self.repository.top);
        let mut remove = words(["worktree", "remove", "--force", "--force", "--"]);
        remove.push(self.path.as_os_str());
        // One that was only begun is none to git.
        let said = self.git.ask(&at, "remove the worktree", remove, &never).await;
        if self.path.symlink_metadata().is_ok() {
            fs::remove_dir_all(&self.path).map_err(WorktreeError::io(&self.path))?;
        }
        if let Some(part) = self.repository.own_part(&self.path) {
            fs::remove_dir_all(&part).map_err(WorktreeError::io(&part))?;
        } else if said.is_err() {
            // Git keeps a directory for its parts that it makes with the first one.
            drop(fs::remove_dir(self.repository.common.join("worktrees")));
        }
        if let Some(base) = self.base.as_ref().filter(|_| self.owns_branch.load(Ordering::Acquire))
            && self.has_branch(&never).await?
        {
            // Only if it still is at its first commit: anything else on it is work, which only its owner gives up. Not
            // `git branch -D`,
            // which would lock and write the configuration, which others may do now.
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

    /// Creates its directory, which must not exist, and its parents, without a link on the way below the main working
    /// tree.
    fn make_directory(&self) -> Result<(), WorktreeError> {
        for attempt in 1.. {
            self.make_parents()?;
            match DirBuilder::new().create(&self.path) {
                Ok(()) => break,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    return Err(WorktreeError::Taken { path: self.path.clone() });
                }
                // Another process has removed the last one.
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

    /// Hides it from the main working tree's status. An existing file of another author stays as it is.
    fn ignore(&self) -> Result<(), WorktreeError> {
        let ignore = self.path.with_file_name(".gitignore");
        match OpenOptions::new().write(true).create_new(true).open(&ignore) {
            Ok(mut file) => file.write_all(IGNORE.as_bytes()).map_err(WorktreeError::io(&ignore)),
            Err(_) => Ok(()),
        }
    }

    /// Takes away what was made around the last one.
    fn tidy(&self) {
        let Some(parent) = self.path.parent() else { return };
        let ignore = parent.join(".gitignore");
        let others = fs::read_dir(parent).map_or(2, |entries| entries.take(2).count());
        if others == 1 && text(&ignore).as_deref() == Some(IGNORE) {
            drop(fs::remove_file(ignore));
            // What else is in them keeps them.
            drop(fs::remove_dir(parent));
            drop(parent.parent().map(fs::remove_dir));
        }
    }
}

/// The commit at which this program has made a worktree.
fn marked(part: &Path) -> Option<String> {
    text(&part.join(MARK)).map(|base| base.trim().to_owned()).filter(|base| !base.is_empty())
}

/// Returns the directory of git's worktrees: in `folder` (`.claude`) of the main working tree.
pub(super) fn places(repository: &Repository, folder: &str) -> PathBuf {
    repository.root.join(folder).join("worktrees")
}

/// Takes a worktree for this session; the lock goes with the process, however it ends.
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
