//! Working trees of their own for a session or a subagent (`isolation: worktree`), so that several can work on one
//! repository at once.
//!
//! - A hook of WorktreeCreate makes it, wherever and by whatever means it likes; if there is none, git does, in
//!   `.claude/worktrees/NAME` of the main working tree, on a branch `worktree-NAME` that begins at the commit that is
//!   checked out (`made`, `hooked`).
//! - Before one is removed, WorktreeRemove is fired. Git's is removed when its work has ended and nothing in it differs
//!   from its beginning; else it is kept, and its place is reported. A hook's worktree is removed by hooks only.
//! - Rules, hooks, trust and mode stay those of the main tree.
//!
//! It runs no code of a repository: see `git` and `shadow`. It does not touch worktrees that it has not made, or that
//! are in use elsewhere.
//!
//! INVARIANT: a worktree is recorded before its first file, and is left or undone when the session closes, however the
//! work in it ended. One that a kill leaves is taken up again under the same name, or, if a subagent's, removed by the
//! next session that makes one.

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
pub(crate) use worktrees::Asks;
