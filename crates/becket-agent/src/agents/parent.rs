//! What a session lends its subagents: where they begin.

use crate::session::Facts;
use crate::turn::{Core, Talk};
use becket_llm::Model;
use becket_model::AgentId;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A session as its subagents see it.
pub(crate) struct Parent {
    pub(crate) core: Arc<Core>,
    /// The facts of the session's own line of work.
    pub(crate) facts: Facts,
    /// The model of the session's own line of work.
    pub(crate) model: Arc<dyn Model>,
    /// Opens a subagent's conversation and its transcript.
    pub(crate) talk: Arc<dyn Fn(&AgentId) -> (PathBuf, Talk) + Send + Sync>,
}

/// Gives the session, while there is one: it must not keep it alive.
type Lends = Box<dyn Fn() -> Option<Parent> + Send + Sync>;

/// The session that a tool belongs to, known once it is open. Cheap to clone; all clones are the same.
#[derive(Clone, Default)]
pub(crate) struct ParentCell(Arc<OnceLock<Lends>>);

impl ParentCell {
    /// Says whose tool it is; the first word counts.
    pub(crate) fn set(&self, lends: impl Fn() -> Option<Parent> + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(lends));
    }

    /// The session, if it is open.
    pub(crate) fn get(&self) -> Option<Parent> {
        self.0.get().and_then(|lends| lends())
    }
}
