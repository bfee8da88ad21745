//! The check whether a worktree has changed since it was created. An unknown state counts as a change.

use super::error::WorktreeError;
use super::git::{At, words};
use super::made::GitWorktree;
use super::repository::text;
use becket_engine::CancellationToken;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The reason to keep a worktree that Becket has not created.
pub(super) const BEFORE: &str = "it was there before";

/// The maximum number of entries of a directory tree that are checked.
const MOST: usize = 50_000;

impl GitWorktree {
    /// Returns the reason to keep the worktree; `None` if the work has left no trace. Files that `.gitignore` names are
    /// not a trace.
    pub(super) async fn traces(&self) -> Option<String> {
        let Some(base) = self.base.as_deref() else { return Some(BEFORE.to_owned()) };
        match self.differs(base).await {
            Ok(difference) => difference.map(str::to_owned),
            Err(error) => Some(format!("it is not known whether it has changes: {error}")),
        }
    }

    async fn differs(&self, base: &str) -> Result<Option<&'static str>, WorktreeError> {
        let never = CancellationToken::new();
        let gone = || WorktreeError::PathOccupied { path: self.path.clone() };
        let part = self.repository.part_of(&self.path).ok_or_else(gone)?;
        let here = At::found(&self.path);
        let branch = format!("refs/heads/{}", self.branch);
        for name in ["HEAD", &branch] {
            let look = words(["rev-parse", "--verify", "-q", name]);
            if self.git.line(&here, look, &never).await.as_deref() != Some(base) {
                return Ok(Some("it has commits"));
            }
        }
        // The first line is its creation; a commit that is no longer referenced is also work.
        let moves = text(&part.join("logs/HEAD")).unwrap_or_default();
        if moves.lines().count() > 1 {
            return Ok(Some("it has commits"));
        }
        let shadow = self.shadow(&part, &never).await?;
        let look = [
            "status",
            "--porcelain",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=all",
            "--no-renames",
        ];
        if !self.git.ask(shadow.at(), "compare the files", words(look), &never).await?.is_empty() {
            return Ok(Some("it has changes"));
        }
        let list = words(["ls-files", "--stage", "-z"]);
        let index = self.git.ask(shadow.at(), "list the files", list, &never).await?;
        Ok(self.has_submodule(&index).then_some("a submodule in it has been filled"))
    }

    /// Returns whether a submodule has any content, which would need a check with its own configuration.
    fn has_submodule(&self, index: &[u8]) -> bool {
        let is_filled = |path: &Path| fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        index.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 ")).any(|entry| {
            let path = entry.split(|byte| *byte == b'\t').nth(1).unwrap_or_default();
            is_filled(&self.path.join(&*String::from_utf8_lossy(path)))
        })
    }
}

/// The state of a directory: each entry below it, its size and modification time. Used for trees without other
/// information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Print(Vec<(PathBuf, u64, Option<SystemTime>)>);

impl Print {
    /// Reads the state; `None` if the directory is too large, or can't be read.
    pub(super) fn of(directory: &Path) -> Option<Self> {
        let (mut seen, mut left) = (Vec::new(), vec![directory.to_owned()]);
        while let Some(place) = left.pop() {
            for entry in fs::read_dir(&place).ok()? {
                let path = entry.ok()?.path();
                let found = path.symlink_metadata().ok()?;
                if found.is_dir() {
                    left.push(path.clone());
                }
                seen.push((path, found.len(), found.modified().ok()));
                if seen.len() > MOST {
                    return None;
                }
            }
        }
        seen.sort_unstable();
        Some(Self(seen))
    }
}
