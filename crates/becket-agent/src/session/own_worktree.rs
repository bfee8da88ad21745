//! The worktree of a whole session.

use super::main_line::Main;
use crate::update::{Level, Notice};
use crate::worktree::{WorktreeError, WorktreeEventParams, WorktreeName};
use becket_engine::CancellationToken;
use std::path::Path;

/// Returns the system prompt for a directory.
pub(crate) type SystemAt = Box<dyn FnOnce(&Path) -> String + Send>;

/// A worktree that a session enters at its start.
pub(crate) struct OwnWorktree {
    pub(crate) name: WorktreeName,
    pub(crate) system: SystemAt,
}

impl OwnWorktree {
    /// Moves a session that has not started into it.
    pub(crate) async fn enter(self, main: &mut Main) -> Result<(), WorktreeError> {
        let worktrees = main.worktrees.as_ref().ok_or(WorktreeError::NotLent)?;
        let agent_loop = &mut main.agent_loop;
        let params = WorktreeEventParams {
            shared: &agent_loop.shared,
            facts: &agent_loop.facts,
            updates: &agent_loop.updates,
        };
        let tree = worktrees.enter(params, &self.name, &CancellationToken::new()).await?;
        agent_loop.facts.enter(tree.path.clone());
        agent_loop.system = (self.system)(&tree.path);
        Ok(())
    }
}

/// Leaves all worktrees of a session that has ended; the user is notified of those that are kept.
pub(crate) async fn leave_worktrees(main: &Main) {
    let agent_loop = &main.agent_loop;
    let Some(worktrees) = &main.worktrees else { return };
    agent_loop.facts.leave();
    let params = WorktreeEventParams {
        shared: &agent_loop.shared,
        facts: &agent_loop.facts,
        updates: &agent_loop.updates,
    };
    for kept in worktrees.leave_all(params).await {
        kept.message().into_iter().for_each(|text| {
            agent_loop.updates.notice(Notice { level: Level::Notice, ..Notice::warning(text) })
        });
    }
}
