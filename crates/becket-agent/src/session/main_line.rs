//! The session's own agent loop: start, clear, replacement and end (L0).

use super::expand::Expand;
use super::start::{OpenError, OpenedTranscript, StartFacts};
use crate::agents::FirstSkills;
use crate::conversation::{Conversation, StoredConversation};
use crate::transcript::{Note, Store};
use crate::turn::{AgentLoop, FiredEvent};
use crate::update::{Notice, UpdateKind};
use crate::worktree::Worktrees;
use becket_engine::CancellationToken;
use becket_model::EventBody;
use becket_model::event::lifecycle::{SessionEnd, Setup};
use std::path::PathBuf;
use std::sync::Arc;

/// The reason why the project is set up before a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetupTrigger {
    /// The user wants the project to be initialized.
    Init,
    /// The user wants the project to be maintained.
    Maintenance,
}

impl SetupTrigger {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Maintenance => "maintenance",
        }
    }
}

/// The session's own agent loop.
pub(crate) struct Main {
    pub(crate) agent_loop: AgentLoop,
    pub(crate) expand: Option<Arc<dyn Expand>>,
    pub(crate) store: Option<Store>,
    pub(crate) worktrees: Option<Worktrees>,
    /// The directory in which the session was opened, by which the store finds it, even if the session has moved since.
    pub(crate) start: PathBuf,
    /// Set if SessionStart names the model, as an interactive host does.
    pub(crate) names_model: bool,
    /// Texts for the model before the next prompt.
    pub(crate) pending: Vec<String>,
    /// Instructions from files, which come before those.
    pub(crate) instructions: Vec<String>,
    /// The first prompt that a hook requests.
    pub(crate) initial: Option<String>,
    /// The skills that the session starts with, from the agent that it works as.
    pub(crate) skills: Option<FirstSkills>,
}

impl Main {
    /// Fires Setup, if requested, and SessionStart.
    pub(crate) async fn begin(&mut self, opened: &OpenedTranscript, setup: Option<SetupTrigger>) {
        let never = CancellationToken::new();
        if let Some(trigger) = setup {
            let fired = self.agent_loop.fire(Setup::new(trigger.as_str().to_owned()), &never).await;
            self.pending.extend(fired.for_model());
        }
        self.preload(opened, &never).await;
        let known = StartFacts {
            model: self.names_model.then(|| self.agent_loop.model.name()),
            title: self.agent_loop.shared.title(),
            price: self.agent_loop.model.price(),
        };
        let fired = self.agent_loop.fire(opened.event(known), &never).await;
        self.pending.extend(fired.for_model());
        let fields = &fired.outcome.verdict.fields;
        // A conversation that was cleared keeps its title (`sessionTitle` counts on startup, resume and fork).
        if let Some(title) = fields.session_title.as_ref().filter(|_| opened.source != "clear") {
            self.agent_loop.retitle(&title.what);
        }
        let wanted = fields.initial_user_message.as_ref().map(|said| said.what.clone());
        self.initial = wanted.or_else(|| self.initial.take().filter(|_| opened.source == "startup"));
        if let Some(expand) = self.expand.as_ref().filter(|_| fields.reload_skills) {
            expand.reload();
        }
        self.agent_loop.glance();
    }

    /// Starts with the skills of the session's agent. In a conversation that continues, their texts are already there,
    /// and only their hooks are registered again.
    async fn preload(&mut self, opened: &OpenedTranscript, cancel: &CancellationToken) {
        let Some(skills) = &self.skills else { return };
        let read = skills.read(&self.agent_loop.facts.session(), cancel).await;
        read.notices.into_iter().for_each(|notice| self.agent_loop.updates.notice(notice));
        if matches!(opened.source, "startup" | "clear") {
            self.pending.extend(read.texts);
        }
    }

    /// Ends the conversation and starts another one.
    ///
    /// # Errors
    /// Errors if the transcript can't be created: the session then continues without being stored.
    pub(crate) async fn clear(&mut self) -> Result<(), OpenError> {
        self.end("clear").await;
        self.forget().await;
        // Uses the directory in which the session began, even if it has moved: the session is searched for there.
        let (opened, result) = match OpenedTranscript::cleared(self.store.as_ref(), &self.start) {
            Ok(opened) => (opened, Ok(())),
            Err(error) => (OpenedTranscript::unstored(None, "clear"), Err(error)),
        };
        self.agent_loop.updates.send(UpdateKind::Cleared { session: opened.id.clone() });
        self.replaced_by(opened).await;
        result
    }

    /// Replaces the session, which has ended, with another one. Mode, model, directory and rules stay the current ones,
    /// which the user sees.
    pub(super) async fn replaced_by(&mut self, mut opened: OpenedTranscript) {
        let log = opened.log.take();
        let mut session = self.agent_loop.facts.session();
        session.id = opened.id.clone().into();
        session.transcript_path = log.as_ref().map(|log| log.path().to_owned()).unwrap_or_default();
        session.prompt_id = None;
        session.permission_mode = None;
        self.agent_loop.facts.replace(session);
        match &mut opened.restored {
            Some(restored) => {
                for damage in &restored.damage {
                    self.agent_loop.updates.notice(Notice::warning(damage.to_string()));
                }
                self.agent_loop.shared.put_title(restored.title.clone());
                let nothing = StoredConversation::Whole(Conversation::default());
                self.agent_loop
                    .conversation
                    .go_on_with(std::mem::replace(&mut restored.stored, nothing), log);
            }
            None => self.agent_loop.conversation.replace(log),
        }
        self.pending.clear();
        self.instructions.clear();
        self.agent_loop.forget_instructions();
        let cwd = self.agent_loop.facts.cwd();
        let agent_loop = &mut self.agent_loop;
        for note in [Note::Model(agent_loop.model.name().to_owned()), Note::Mode(agent_loop.facts.mode())] {
            agent_loop.conversation.note(&note, &cwd, &agent_loop.updates);
        }
        self.begin(&opened, None).await;
        self.agent_loop.store();
    }

    /// Ends the detached events, each within its limit, and fires SessionEnd: a hook that records events sees a failed
    /// turn before the end of the session.
    pub(crate) async fn end(&mut self, reason: &str) {
        let never = CancellationToken::new();
        let body = SessionEnd::new(reason.to_owned());
        let budget =
            self.agent_loop.shared.engine.host().session_end_budget(&self.agent_loop.facts.session());
        self.agent_loop.shared.detached_events.end(budget).await;
        self.agent_loop.fire(body, &never).await;
        self.agent_loop.store();
    }

    /// Ends everything that hooks have left running for the session, and removes its skills' hooks: nothing that they
    /// guard may still be running.
    pub(crate) async fn forget(&mut self) {
        if let Some(expand) = &self.expand {
            expand.session_ended();
        }
        let shared = &self.agent_loop.shared;
        let session = self.agent_loop.facts.session();
        shared.engine.host().finish_background(&session).await;
        shared.engine.host().forget_session(&session.id);
    }
}

impl AgentLoop {
    /// Fires an event of this agent loop, waits for its hooks, and shows their messages to the user.
    pub(crate) async fn fire(&self, body: impl Into<EventBody>, cancel: &CancellationToken) -> FiredEvent {
        self.shared.fire(&self.facts, body, &self.updates, cancel).await
    }
}
