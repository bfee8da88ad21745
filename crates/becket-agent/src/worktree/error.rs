//! Errors of worktrees.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why there is no worktree.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The name can't be one.
    #[error(
        "`{name}` is not a name for a worktree: use letters, digits, `-`, `_` and `.` between them, {longest} at most",
        longest = super::name::LONGEST
    )]
    BadName {
        /// The name, shortened.
        name: String,
    },
    /// No repository was found.
    #[error("`{}` lies in no git repository: begin one, or let a hook of WorktreeCreate make the directory", at.display())]
    NoRepository {
        /// Directory of the search.
        at: PathBuf,
    },
    /// The repository has no commit.
    #[error("the repository of `{}` has no commit that a worktree could begin with: commit something first", at.display())]
    NoCommit {
        /// Its path.
        at: PathBuf,
    },
    /// The host provides no worktrees.
    #[error("this session makes no worktrees: its host has to lend it some, by `AgentBuilder::worktrees`")]
    NotLent,
    /// No git was found outside of the repository itself.
    #[error("there is no `git` on PATH (one that lies in the repository itself does not count)")]
    NoGit,
    /// Git refuses.
    #[error("git can't {doing}: {said}")]
    Git {
        /// The operation.
        doing: &'static str,
        /// Its output.
        said: String,
    },
    /// Something else is in its place.
    #[error("`{}` is there already, and is not a worktree of this repository: move it away, or take another name", path.display())]
    Taken {
        /// The place.
        path: PathBuf,
    },
    /// There is such a branch, and it may hold work.
    #[error(
        "there is a branch `{branch}` already: delete it with `git branch -D {branch}`, or take another name"
    )]
    Branch {
        /// The branch.
        branch: String,
    },
    /// Another session works in it.
    #[error("another session works in the worktree `{}`: end that one, or take another name", path.display())]
    InUse {
        /// The worktree.
        path: PathBuf,
    },
    /// A way to it leads elsewhere.
    #[error("`{}` is a link, and no worktree is made behind one: put a directory in its place", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The hooks that were to make it have not.
    #[error("the WorktreeCreate hooks made no worktree: {because}")]
    Hook {
        /// Their message.
        because: String,
    },
    /// The directory that a hook named is not usable.
    #[error("a WorktreeCreate hook named `{}`, which can't be the worktree: {because}", path.display())]
    HookPath {
        /// The path it named.
        path: PathBuf,
        /// The reason.
        because: String,
    },
    /// The system refuses.
    #[error("can't use `{}`: {source}", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl WorktreeError {
    /// Returns a conversion of the system's error at a path.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
