//! The facts of a session that its events contain, kept in one place.
//!
//! INVARIANT: a subagent's facts share only the mode with the session's own. An agent may derive its own mode from it;
//! only the session sets it.

use becket_model::event::{Agent, Effort, PermissionMode};
use becket_model::{PromptId, Session};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

/// Derives an agent loop's mode from the session's.
type ReadsMode = Arc<dyn Fn(PermissionMode) -> PermissionMode + Send + Sync>;

/// The facts of one agent loop: the session's own, or a subagent's. Cheap to clone; all clones are the same facts.
#[derive(Clone)]
pub struct Facts {
    own: Arc<RwLock<Session>>,
    mode: Arc<RwLock<PermissionMode>>,
    reads: Option<ReadsMode>,
    /// The agent loop's own worktree, and its previous directory.
    tree: Arc<RwLock<Option<EnteredTree>>>,
}

/// A worktree that an agent loop has entered.
#[derive(Debug, Clone)]
struct EnteredTree {
    tree: PathBuf,
    from: PathBuf,
}

impl Facts {
    /// Creates the facts of a new session.
    #[must_use]
    pub fn new(mut session: Session) -> Self {
        let mode = session.permission_mode.take().unwrap_or(PermissionMode::Default);
        let (own, mode) = (Arc::new(RwLock::new(session)), Arc::new(RwLock::new(mode)));
        Self { own, mode, reads: None, tree: Arc::default() }
    }

    /// Creates the facts of a new subagent, which starts in the current directory of this agent loop.
    #[must_use]
    pub(crate) fn of_subagent(&self, agent: Agent) -> Self {
        let own = self.own().with_agent(agent);
        let tree = self.entered().map(|entered| entered.tree);
        let tree = tree.map(|tree| EnteredTree { from: tree.clone(), tree });
        Self {
            own: Arc::new(RwLock::new(own)),
            mode: Arc::clone(&self.mode),
            reads: self.reads.clone(),
            tree: Arc::new(RwLock::new(tree)),
        }
    }

    /// Returns the same facts with another mode in force, which `reads` derives from the session's mode.
    #[must_use]
    pub(crate) fn with_mode(
        self,
        reads: impl Fn(PermissionMode) -> PermissionMode + Send + Sync + 'static,
    ) -> Self {
        Self { reads: Some(Arc::new(reads)), ..self }
    }

    /// Returns the session as events currently describe it.
    #[must_use]
    pub fn session(&self) -> Session {
        self.own().with_permission_mode(self.mode())
    }

    /// Returns the permission mode in force.
    #[must_use]
    pub fn mode(&self) -> PermissionMode {
        let mode = self.mode.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.reads.as_ref().map_or(mode.clone(), |reads| reads(mode))
    }

    /// Changes the permission mode of the session and of all its subagents.
    pub fn set_mode(&self, mode: PermissionMode) {
        *self.mode.write().unwrap_or_else(PoisonError::into_inner) = mode;
    }

    /// Returns the working directory.
    #[must_use]
    pub fn cwd(&self) -> PathBuf {
        self.own().cwd
    }

    /// Changes the working directory, and returns the previous one.
    pub fn set_cwd(&self, cwd: PathBuf) -> PathBuf {
        self.change(|session| std::mem::replace(&mut session.cwd, cwd))
    }

    /// Returns the worktree that this agent loop has entered: a shell that would end up outside returns to it.
    #[must_use]
    pub fn worktree(&self) -> Option<PathBuf> {
        self.entered().map(|entered| entered.tree)
    }

    /// Enters the agent loop's own worktree.
    pub(crate) fn enter(&self, tree: PathBuf) {
        let from = self.set_cwd(tree.clone());
        *self.tree.write().unwrap_or_else(PoisonError::into_inner) = Some(EnteredTree { tree, from });
    }

    /// Returns to the directory from before a worktree was entered.
    pub(crate) fn leave(&self) {
        let entered = self.tree.write().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(EnteredTree { from, .. }) = entered {
            self.set_cwd(from);
        }
    }

    fn entered(&self) -> Option<EnteredTree> {
        self.tree.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the id of the current prompt.
    pub(crate) fn set_prompt(&self, prompt: PromptId) {
        self.change(|session| session.prompt_id = Some(prompt));
    }

    /// Sets the effort of the model's thinking.
    pub fn set_effort(&self, effort: Option<Effort>) {
        self.change(|session| session.effort = effort);
    }

    /// Starts a session with facts that were handed out before: its mode applies from now on.
    pub fn begin(&self, mut session: Session) {
        if let Some(mode) = session.permission_mode.take() {
            self.set_mode(mode);
        }
        self.replace(session);
    }

    /// Replaces this session with another one, as after `/clear`.
    pub fn replace(&self, session: Session) {
        self.change(|own| *own = session);
    }

    fn own(&self) -> Session {
        self.own.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<T>(&self, change: impl FnOnce(&mut Session) -> T) -> T {
        change(&mut self.own.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Facts").field(&self.session()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: N4
    #[test]
    fn a_subagent_shares_the_mode_and_nothing_else() {
        let main = Facts::new(Session::new("s", "/t", "/work"));
        let sub = main.of_subagent(Agent::new(becket_model::AgentId::from("a"), Arc::<str>::from("Explore")));
        main.set_mode(PermissionMode::Plan);
        sub.set_cwd("/work/sub".into());
        assert_eq!(sub.session().permission_mode, Some(PermissionMode::Plan));
        assert_eq!((main.cwd(), sub.cwd()), ("/work".into(), "/work/sub".into()));
        assert!(main.session().agent.is_none() && sub.session().agent.is_some());
    }
}
