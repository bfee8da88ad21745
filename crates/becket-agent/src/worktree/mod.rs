//! Worktrees for a session or a subagent (`isolation: worktree`), so that several can work on one repository at once.
//!
//! - A WorktreeCreate hook creates it, anywhere and by any means; without one, git does, in `.claude/worktrees/NAME` of
//!   the main working tree, on a branch `worktree-NAME` that starts at the commit that is checked out (`made`,
//!   `hooked`).
//! - Before one is removed, WorktreeRemove is fired. One created by git is removed when its work has ended and nothing
//!   in it has changed; otherwise it is kept, and its path is reported. One created by a hook is removed only by hooks.
//! - Rules, hooks, trust and mode stay those of the main tree.
//!
//! It runs no code of a repository: see `git` and `shadow`. It does not touch worktrees that it has not created, or
//! that are in use elsewhere.
//!
//! INVARIANT: a worktree is recorded before its first file, and is left or undone when the session closes, however the
//! work in it ended. One that remains after a kill is reused under the same name, or, if a subagent's, removed by the
//! next session that creates one.

mod error;
mod git;
mod hooked;
mod made;
mod name;
mod repository;
mod shadow;
mod tree;
mod unchanged;
mod worktrees;

pub use error::WorktreeError;
pub use name::WorktreeName;
pub use worktrees::Worktrees;

pub(crate) use tree::{Tree, WorktreeOutcome};
pub(crate) use worktrees::WorktreeEventParams;
