//! A worktree in use, and its outcome.

use super::made::GitWorktree;
use super::unchanged::Print;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A worktree in use.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) path: PathBuf,
    pub(super) creator: Creator,
}

/// The creator of the worktree.
#[derive(Debug)]
pub(super) enum Creator {
    Git {
        made: Box<GitWorktree>,
        held: Mutex<GitWorktreeState>,
    },
    /// A hook, with the state of the directory at that time, if known.
    Hook {
        before: Option<Print>,
    },
}

/// The progress of a worktree created by git.
#[derive(Debug)]
pub(super) enum GitWorktreeState {
    /// It was begun: its content is not anyone's work yet.
    Begun,
    /// It is complete, and belongs to this session as long as the file is locked.
    Whole(File),
    /// It was released.
    Free,
}

impl Tree {
    /// Returns the branch that is checked out, if git created the worktree.
    pub(crate) fn branch(&self) -> Option<&str> {
        match &self.creator {
            Creator::Git { made, .. } => Some(&made.branch),
            Creator::Hook { .. } => None,
        }
    }

    /// Releases the worktree for other sessions.
    pub(super) fn let_go(&self) {
        if let Creator::Git { held, .. } = &self.creator {
            let held = std::mem::replace(
                &mut *held.lock().unwrap_or_else(PoisonError::into_inner),
                GitWorktreeState::Free,
            );
            if let GitWorktreeState::Whole(file) = held {
                // Closing the file is not enough: a child that has not yet executed its own program would keep the
                // lock.
                drop(file.unlock());
            }
        }
    }

    /// Returns whether the worktree was begun and never completed.
    pub(super) fn is_begun(&self) -> bool {
        match &self.creator {
            Creator::Git { held, .. } => {
                matches!(&*held.lock().unwrap_or_else(PoisonError::into_inner), GitWorktreeState::Begun)
            }
            Creator::Hook { .. } => false,
        }
    }

    /// Records that the worktree is complete.
    pub(super) fn hold(&self, file: File) {
        if let Creator::Git { held, .. } = &self.creator {
            *held.lock().unwrap_or_else(PoisonError::into_inner) = GitWorktreeState::Whole(file);
        }
    }
}

/// The outcome of a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorktreeOutcome {
    /// It was removed completely.
    Removed,
    /// It is kept at its path.
    Kept { path: PathBuf, branch: Option<String>, because: String },
}

impl WorktreeOutcome {
    /// Returns the message about a worktree that is kept.
    pub(crate) fn message(&self) -> Option<String> {
        let Self::Kept { path, branch, because } = self else { return None };
        let on = branch.as_ref().map(|branch| format!(" (branch `{branch}`)")).unwrap_or_default();
        Some(format!("the worktree `{}`{on} is kept: {because}", path.display()))
    }
}
