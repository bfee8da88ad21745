//! A worktree that git makes: begun, undone, taken up again, removed.
//!
//! No file is checked out by `git worktree add` itself: that would run the repository's filters and hooks. The shadow does.

use super::error::WorktreeError;
use super::git::{At, Git, words};
use super::repository::{Repository, text};
use super::shadow::Shadow;
use becket_engine::CancellationToken;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file in a worktree's part of the repository that says that this program has made it, and at which commit; who works in
/// it holds it.
const MARK: &str = "becket";

/// How often the lock is asked for, and how long is waited in between: who looks for what was left behind holds it, too.
const ATTEMPTS: u32 = 8;
const PAUSE: Duration = Duration::from_millis(15);

/// What keeps the main tree's `git status` from listing the worktrees.
const IGNORE: &str = "*\n";

/// A worktree that git has made, or is about to.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) git: Git,
    pub(super) repository: Repository,
    pub(super) path: PathBuf,
    pub(super) branch: String,
    /// The commit that it began at; none where somebody else has made it.
    pub(super) base: Option<String>,
    /// Where shadows are made.
    pub(super) private: PathBuf,
}

impl Made {
    /// Takes up the worktree that lies at the place already. None where nothing does.
    pub(super) fn take_up(&mut self) -> Result<Option<File>, WorktreeError> {
        if self.path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let taken = || WorktreeError::Taken { path: self.path.clone() };
        let part = self.repository.part_of(&self.path).ok_or_else(taken)?;
        let held = hold(&part, &self.path)?;
        self.base = marked(&part);
        Ok(Some(held))
    }

    /// Takes up one that was left behind; none where it is somebody's, or not of this program.
    pub(super) fn take_up_left(&mut self) -> Option<File> {
        let part = self.repository.part_of(&self.path)?;
        marked(&part)?;
        self.take_up().ok()?.filter(|_| self.base.is_some())
    }

    /// Has git forget one at this place whose files are gone.
    pub(super) async fn forget_lost(&self, cancel: &CancellationToken) -> Result<(), WorktreeError> {
        if self.repository.own_part(&self.path).is_none() {
            return Ok(());
        }
        let mut remove = words(["worktree", "remove", "--force", "--"]);
        remove.push(self.path.as_os_str());
        self.git
            .ask(&At::found(&self.repository.top), "forget the lost worktree", remove, cancel)
            .await
            .map(drop)
    }

    /// Makes it: the branch, the place, the files. What was made before something went wrong is the caller's to undo.
    pub(super) async fn make(&self, cancel: &CancellationToken) -> Result<File, WorktreeError> {
        self.make_directory()?;
        let at = At::found(&self.repository.top);
        let base = self.base.as_deref().unwrap_or("HEAD");
        let mut add =
            words(["worktree", "add", "-q", "--no-checkout", "--no-track", "-b", &self.branch, "--"]);
        add.extend([self.path.as_os_str(), OsStr::new(base)]);
        self.git.ask(&at, "make the worktree", add, cancel).await?;
        let lost = || WorktreeError::Git {
            doing: "make the worktree",
            said: "it has none at that place".to_owned(),
        };
        let part = self.repository.part_of(&self.path).ok_or_else(lost)?;
        // Held before it says that it may be removed: nobody takes it for one that was left behind.
        let mut held = hold(&part, &self.path)?;
        held.write_all(base.as_bytes()).map_err(WorktreeError::io(&part))?;
        let shadow = self.shadow(&part, cancel).await?;
        let fill = words(["read-tree", "--reset", "-u", "--no-recurse-submodules", base]);
        self.git.ask(shadow.at(), "check the files out", fill, cancel).await?;
        Ok(held)
    }

    /// Whether the branch is there before the worktree is.
    pub(super) async fn has_branch(&self, cancel: &CancellationToken) -> bool {
        let name = format!("refs/heads/{}", self.branch);
        let look = words(["rev-parse", "--verify", "-q", &name]);
        self.git.line(&At::found(&self.repository.top), look, cancel).await.is_some()
    }

    pub(super) async fn shadow(
        &self,
        part: &Path,
        cancel: &CancellationToken,
    ) -> Result<Shadow, WorktreeError> {
        let base = self.base.as_deref().unwrap_or_default();
        Shadow::make(&self.git, (&self.repository, part), (&self.path, base), &self.private, cancel).await
    }

    /// Removes it with its branch and all that git knows of it, whatever is in it and however far it had come.
    pub(super) async fn remove(&self) -> Result<(), WorktreeError> {
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
        if self.has_branch(&never).await {
            // Not `git branch -D`: that would lock and write the configuration, which others may do now.
            let name = format!("refs/heads/{}", self.branch);
            let delete = words(["update-ref", "-d", &name]);
            self.git.ask(&at, "delete the branch", delete, &never).await?;
        }
        self.tidy();
        Ok(())
    }

    /// The directory that it lies in, without a link on the way below the main working tree.
    fn make_directory(&self) -> Result<(), WorktreeError> {
        let parent = self.path.parent().unwrap_or(&self.path);
        let below = parent.strip_prefix(&self.repository.root).unwrap_or(parent);
        let mut place = self.repository.root.clone();
        for part in below.components() {
            place.push(part);
            match place.symlink_metadata() {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(WorktreeError::Link { path: place }),
                Err(_) => DirBuilder::new().create(&place).map_err(WorktreeError::io(&place))?,
            }
        }
        let ignore = parent.join(".gitignore");
        // Somebody else's stays as it is.
        if let Ok(mut file) = OpenOptions::new().write(true).create_new(true).open(&ignore) {
            file.write_all(IGNORE.as_bytes()).map_err(WorktreeError::io(&ignore))?;
        }
        Ok(())
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

/// Where git makes worktrees: in `folder` (`.claude`) of the main working tree.
pub(super) fn places(repository: &Repository, folder: &str) -> PathBuf {
    repository.root.join(folder).join("worktrees")
}

/// Takes a worktree for this session; the lock goes with the process, however it ends.
fn hold(part: &Path, path: &Path) -> Result<File, WorktreeError> {
    let mark = part.join(MARK);
    let file = OpenOptions::new().read(true).append(true).create(true).open(&mark);
    let file = file.map_err(WorktreeError::io(&mark))?;
    for attempt in 1.. {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(WorktreeError::InUse { path: path.to_owned() }),
            // The file system knows no locks.
            Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => break,
            Err(TryLockError::Error(source)) => return Err(WorktreeError::Io { path: mark, source }),
        }
    }
    Ok(file)
}
