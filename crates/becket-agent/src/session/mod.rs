//! An open session: its facts, its start and its end (`protocol.md` L0).

mod expand;
mod main_line;
mod own_worktree;
mod prompt;
mod resumed;
mod start;
mod worktree_tools;

pub use crate::facts::Facts;
pub use expand::{CommandKind, Expand, PromptKind, PromptTexts, TypedCommand};
pub use main_line::SetupTrigger;
pub use prompt::Prompt;
pub use start::{OpenError, Start};
pub use worktree_tools::WorktreeTools;

pub(crate) use main_line::Main;
pub(crate) use own_worktree::{OwnWorktree, leave_worktrees};
pub(crate) use start::{OpenedTranscript, open};
