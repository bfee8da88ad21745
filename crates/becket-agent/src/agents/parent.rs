//! The session's handles for its subagents.

use crate::conversation::{Conversation, StoredConversation};
use crate::facts::Facts;
use crate::transcript::{AgentMetadata, Store};
use crate::turn::{ConversationLog, SessionShared};
use crate::update::{Notice, Updates};
use crate::worktree::Worktrees;
use becket_engine::ToolSet;
use becket_llm::Model;
use becket_model::{AgentId, Session};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A session as its subagents see it.
pub(crate) struct Parent {
    pub(crate) shared: Arc<SessionShared>,
    /// The facts of the session's own agent loop.
    pub(crate) facts: Facts,
    /// The model of the session's own agent loop.
    pub(crate) model: Arc<dyn Model>,
    /// The tools of the session's own agent loop.
    pub(crate) toolbox: ToolSet,
    /// The store of the session's transcript, if it is stored.
    pub(crate) store: Option<Store>,
    /// The worktrees of the session, if its host allows any.
    pub(crate) worktrees: Option<Worktrees>,
}

impl Parent {
    /// Returns a subagent's conversation, and its log beside the session's own; it is not stored if that fails.
    pub(crate) fn conversation(
        &self,
        agent: &AgentId,
        metadata: &AgentMetadata,
        updates: &Updates,
    ) -> (PathBuf, ConversationLog) {
        let Session { id, transcript_path, .. } = self.facts.session();
        let nothing = StoredConversation::Whole(Conversation::default());
        let opened =
            self.store.as_ref().map(|store| store.subagent(&transcript_path, id.as_str(), agent.as_str()));
        match opened {
            Some(Ok((log, restored))) => {
                if let Err(error) = log.describe(metadata) {
                    let what = "the call that started an agent is not stored with its transcript";
                    updates.notice(Notice::warning(format!("{what}: {error}")));
                }
                (log.path().to_owned(), ConversationLog::new(restored.stored, Some(log)))
            }
            Some(Err(error)) => {
                updates.notice(Notice::warning(format!("an agent of this session is not stored: {error}")));
                (PathBuf::new(), ConversationLog::new(nothing, None))
            }
            None => (PathBuf::new(), ConversationLog::new(nothing, None)),
        }
    }
}

/// Returns the session while it exists; must not keep it alive.
type GetParent = Box<dyn Fn() -> Option<Parent> + Send + Sync>;

/// The session that a tool belongs to, set once it is open. Cheap to clone; all clones are the same.
#[derive(Clone, Default)]
pub(crate) struct ParentCell(Arc<OnceLock<GetParent>>);

impl ParentCell {
    /// Sets the session of the tool; only the first call has an effect.
    pub(crate) fn set(&self, get_parent: impl Fn() -> Option<Parent> + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(get_parent));
    }

    /// Returns the session, if it is open.
    pub(crate) fn get(&self) -> Option<Parent> {
        self.0.get().and_then(|get_parent| get_parent())
    }
}
