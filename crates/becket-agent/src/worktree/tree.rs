//! One worktree that is worked in, and what becomes of it.

use super::made::GitWorktree;
use super::unchanged::Print;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A worktree that is worked in.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) path: PathBuf,
    pub(super) way: Way,
}

/// Maker of the worktree.
#[derive(Debug)]
pub(super) enum Way {
    Git {
        made: Box<GitWorktree>,
        held: Mutex<GitWorktreeState>,
    },
    /// A hook; how it looked then, if that is known.
    Hook {
        before: Option<Print>,
    },
}

/// Progress of one of git's.
#[derive(Debug)]
pub(super) enum GitWorktreeState {
    /// It was begun: its content is not yet anyone's work.
    Begun,
    /// It is whole, and this session's as long as the file is locked.
    Whole(File),
    /// It is let go.
    Free,
}

impl Tree {
    /// The branch that is checked out in one of git's.
    pub(crate) fn branch(&self) -> Option<&str> {
        match &self.way {
            Way::Git { made, .. } => Some(&made.branch),
            Way::Hook { .. } => None,
        }
    }

    /// Releases it for other sessions.
    pub(super) fn let_go(&self) {
        if let Way::Git { held, .. } = &self.way {
            let held = std::mem::replace(
                &mut *held.lock().unwrap_or_else(PoisonError::into_inner),
                GitWorktreeState::Free,
            );
            if let GitWorktreeState::Whole(file) = held {
                // Closing it alone would leave the lock to a child that has not begun its own program.
                drop(file.unlock());
            }
        }
    }

    /// Returns whether it was begun and never completed.
    pub(super) fn is_begun(&self) -> bool {
        match &self.way {
            Way::Git { held, .. } => {
                matches!(&*held.lock().unwrap_or_else(PoisonError::into_inner), GitWorktreeState::Begun)
            }
            Way::Hook { .. } => false,
        }
    }

    /// It is whole.
    pub(super) fn hold(&self, file: File) {
        if let Way::Git { held, .. } = &self.way {
            *held.lock().unwrap_or_else(PoisonError::into_inner) = GitWorktreeState::Whole(file);
        }
    }
}

/// Fate of a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorktreeOutcome {
    /// Nothing is left of it.
    Removed,
    /// It stays where it is.
    Kept { path: PathBuf, branch: Option<String>, because: String },
}

impl WorktreeOutcome {
    /// Returns the report on one that stays.
    pub(crate) fn told(&self) -> Option<String> {
        let Self::Kept { path, branch, because } = self else { return None };
        let on = branch.as_ref().map(|branch| format!(" (branch `{branch}`)")).unwrap_or_default();
        Some(format!("the worktree `{}`{on} is kept: {because}", path.display()))
    }
}
