//! Errors of worktrees.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a worktree is not available.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The name is not valid.
    #[error(
        "`{name}` is not a name for a worktree: use letters, digits, `-`, `_` and `.` between them, {longest} at most",
        longest = super::name::LONGEST
    )]
    BadName {
        /// The name, truncated.
        name: String,
    },
    /// No repository was found.
    #[error("`{}` lies in no git repository: begin one, or let a hook of WorktreeCreate make the directory", at.display())]
    NoRepository {
        /// The directory in which the search started.
        at: PathBuf,
    },
    /// The repository has no commit.
    #[error("the repository of `{}` has no commit that a worktree could begin with: commit something first", at.display())]
    NoCommit {
        /// The path of the repository.
        at: PathBuf,
    },
    /// The host provides no worktrees.
    #[error(
        "this session does not support worktrees: its host has to provide them with `AgentBuilder::worktrees`"
    )]
    NotLent,
    /// No git was found outside of the repository itself.
    #[error("there is no `git` on PATH (one in the repository itself does not count)")]
    NoGit,
    /// Git has failed.
    #[error("git can't {doing}: {output}")]
    Git {
        /// The attempted operation.
        doing: &'static str,
        /// The output of git.
        output: String,
    },
    /// Something else exists at the path.
    #[error("`{}` is there already, and is not a worktree of this repository: move it away, or take another name", path.display())]
    PathOccupied {
        /// The path.
        path: PathBuf,
    },
    /// The branch already exists, and may contain work.
    #[error(
        "there is a branch `{branch}` already: delete it with `git branch -D {branch}`, or take another name"
    )]
    Branch {
        /// The name of the branch.
        branch: String,
    },
    /// Another session uses the worktree.
    #[error("another session works in the worktree `{}`: end that one, or take another name", path.display())]
    InUse {
        /// The path of the worktree.
        path: PathBuf,
    },
    /// The path contains a link.
    #[error("`{}` is a link, and no worktree is created behind one: replace it with a directory", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The hooks that were to create it have failed.
    #[error("the WorktreeCreate hooks made no worktree: {because}")]
    Hook {
        /// The hooks' message.
        because: String,
    },
    /// The directory that a hook returned is not usable.
    #[error("a WorktreeCreate hook named `{}`, which can't be the worktree: {because}", path.display())]
    HookPath {
        /// The returned path.
        path: PathBuf,
        /// The reason.
        because: String,
    },
    /// An I/O error.
    #[error("can't use `{}`: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl WorktreeError {
    /// Returns a conversion of I/O errors at a path.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
