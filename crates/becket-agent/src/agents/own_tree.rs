//! The working tree of its own that a subagent works in (`isolation: worktree`), from before its first word to its last.

use super::parent::Parent;
use crate::facts::Facts;
use crate::turn::SessionShared;
use crate::update::Updates;
use crate::worktree::{Asks, Tree, WorktreeName, WorktreeOutcome, Worktrees};
use becket_engine::CancellationToken;
use becket_model::AgentId;
use std::path::Path;
use std::sync::Arc;

/// A working tree that a subagent works in. Dropped, it is left when the session closes.
pub(super) struct OwnTree {
    worktrees: Worktrees,
    tree: Arc<Tree>,
    shared: Arc<SessionShared>,
    /// Facts of the session, whose events report the tree.
    facts: Facts,
    updates: Updates,
}

impl OwnTree {
    /// Makes one for a subagent of this id.
    ///
    /// # Errors
    /// There can be none: why, for the model that called.
    pub(super) async fn enter(
        parent: &Parent,
        id: &AgentId,
        cancel: &CancellationToken,
    ) -> Result<Self, String> {
        let shared = Arc::clone(&parent.shared);
        let Some(worktrees) = parent.worktrees.clone() else {
            return Err("the agent was not started: this session makes no worktrees".to_owned());
        };
        let (facts, updates) = (parent.facts.clone(), shared.updates.clone());
        let asks = Asks { shared: &shared, facts: &facts, updates: &updates };
        let tree = worktrees.enter(asks, &WorktreeName::of_agent(id), cancel).await;
        let tree = tree.map_err(|error| format!("the agent was not started: {error}"))?;
        Ok(Self { worktrees, tree, shared, facts, updates })
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.tree.path
    }

    /// Ends the work in it.
    pub(super) async fn leave(self) -> WorktreeOutcome {
        let asks = Asks { shared: &self.shared, facts: &self.facts, updates: &self.updates };
        self.worktrees.leave(asks, &self.tree).await
    }
}
