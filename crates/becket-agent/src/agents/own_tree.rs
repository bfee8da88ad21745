//! The worktree of a subagent of its own (`isolation: worktree`), from its start to its end.

use super::parent::Parent;
use crate::facts::Facts;
use crate::turn::SessionShared;
use crate::update::Updates;
use crate::worktree::{Tree, WorktreeEventParams, WorktreeName, WorktreeOutcome, Worktrees};
use becket_engine::CancellationToken;
use becket_model::AgentId;
use std::path::Path;
use std::sync::Arc;

/// A worktree that a subagent works in. If dropped, the worktree is left when the session closes.
pub(super) struct OwnTree {
    worktrees: Worktrees,
    tree: Arc<Tree>,
    shared: Arc<SessionShared>,
    /// The facts of the session, whose events report the worktree.
    facts: Facts,
    updates: Updates,
}

impl OwnTree {
    /// Creates a worktree for the subagent with this id.
    ///
    /// # Errors
    /// Errors with the reason, for the calling model, if there can be none.
    pub(super) async fn enter(
        parent: &Parent,
        id: &AgentId,
        cancel: &CancellationToken,
    ) -> Result<Self, String> {
        let shared = Arc::clone(&parent.shared);
        let Some(worktrees) = parent.worktrees.clone() else {
            return Err("the agent was not started: this session does not support worktrees".to_owned());
        };
        let (facts, updates) = (parent.facts.clone(), shared.updates.clone());
        let params = WorktreeEventParams { shared: &shared, facts: &facts, updates: &updates };
        let tree = worktrees.enter(params, &WorktreeName::of_agent(id), cancel).await;
        let tree = tree.map_err(|error| format!("the agent was not started: {error}"))?;
        Ok(Self { worktrees, tree, shared, facts, updates })
    }

    /// Returns the path of the worktree.
    pub(super) fn path(&self) -> &Path {
        &self.tree.path
    }

    /// Ends the work in the worktree.
    pub(super) async fn leave(self) -> WorktreeOutcome {
        let params = WorktreeEventParams { shared: &self.shared, facts: &self.facts, updates: &self.updates };
        self.worktrees.leave(params, &self.tree).await
    }
}
