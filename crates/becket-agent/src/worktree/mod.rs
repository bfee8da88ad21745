//! Working trees of their own for a session or a subagent (`isolation: worktree`), so that several can work on one
//! repository at once.
//!
//! - A hook of WorktreeCreate makes it, wherever and by whatever means it likes; where there is none, git does, in
//!   `.claude/worktrees/NAME` of the main working tree, on a branch `worktree-NAME` that begins at the commit that is
//!   checked out (`made`, `hooked`).
//! - Before one is removed, WorktreeRemove is fired. Git's is removed when its work has ended and nothing in it differs from
//!   its beginning; else it is kept, and its place is told. What a hook has made, only hooks remove.
//! - Rules, hooks, trust and mode stay those of the main tree.
//!
//! It refuses to have anything run that a repository brings along: see `git` and `shadow`. It leaves alone what it has not
//! made, and what somebody else works in.
//!
//! INVARIANT: what was begun is known from before its first file on, and is left or undone when the session closes, however
//! the work in it ended. What a kill leaves is taken up again under the same name, or, of a subagent, removed by the next
//! session that makes one.

mod error;
mod git;
mod hooked;
mod made;
mod name;
mod of_session;
mod repository;
mod shadow;
mod tools;
mod tree;
mod unchanged;
mod worktrees;

pub use error::WorktreeError;
pub use name::WorktreeName;
pub use tools::WorktreeTools;
pub use worktrees::Worktrees;

pub(crate) use of_session::{Wish, left};
pub(crate) use tree::{Left, Tree};
pub(crate) use worktrees::Asks;
