//! The worktree that a whole session works in.

use super::error::WorktreeError;
use super::name::WorktreeName;
use super::worktrees::{Asks, Worktrees};
use crate::session::Main;
use crate::update::{Level, Notice};
use becket_engine::CancellationToken;
use std::path::Path;

/// What the model is told of itself, seen from a directory.
pub(crate) type SystemAt = Box<dyn FnOnce(&Path) -> String + Send>;

/// A worktree that a session is to work in from its beginning.
pub(crate) struct Wish {
    pub(crate) name: WorktreeName,
    pub(crate) system: SystemAt,
}

impl Wish {
    /// Moves a session that has not begun into it.
    pub(crate) async fn enter(self, worktrees: &Worktrees, main: &mut Main) -> Result<(), WorktreeError> {
        let work = &mut main.work;
        let asks = Asks { core: &work.core, facts: &work.facts, updates: &work.updates };
        let tree = worktrees.enter(asks, &self.name, &CancellationToken::new()).await?;
        work.facts.enter(tree.path.clone());
        work.system = (self.system)(&tree.path);
        Ok(())
    }
}

/// Leaves all worktrees of a session that has ended; the user is told of those that stay.
pub(crate) async fn left(main: &Main) {
    let work = &main.work;
    let Some(worktrees) = &work.core.worktrees else { return };
    work.facts.leave();
    let asks = Asks { core: &work.core, facts: &work.facts, updates: &work.updates };
    for kept in worktrees.leave_all(asks).await {
        kept.told()
            .into_iter()
            .for_each(|text| work.updates.notice(Notice { level: Level::Notice, ..Notice::warning(text) }));
    }
}
