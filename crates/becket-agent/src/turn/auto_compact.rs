//! Compacts a conversation: when it is nearly too large, when the API rejects it, or when the user requests it (L5).

use super::agent_loop::{AgentLoop, INTERRUPTED, Step, Turn};
use super::end::EndReason;
use crate::compact::{Compaction, CompactionSummary, NotCompacted, Trigger};
use crate::hook_messages;
use crate::transcript::Note;
use crate::update::{Notice, Origin, UpdateKind};
use becket_engine::{CancellationToken, Outcome};
use becket_model::EventKind;
use becket_model::event::lifecycle::SessionStart;

impl AgentLoop {
    /// Before a request: compacts a conversation that is nearly too large, unless that has already failed in this turn.
    pub(super) async fn make_room(&mut self, turn: &mut Turn, cancel: &CancellationToken) -> Step {
        let tokens = self.look();
        if !self.shared.window(&*self.model).is_full(tokens) || turn.guard.may_try().is_err() {
            return Step::Ask;
        }
        match self.compact_in_turn(turn, cancel).await {
            Ok(()) => Step::Ask,
            Err(NotCompacted::Cancelled) => Step::End(EndReason::Interrupted),
            Err(failed) => {
                let text = format!("the conversation is nearly too long for the model: {failed}");
                self.updates.notice(Notice::warning(text));
                Step::Ask
            }
        }
    }

    /// Measures the conversation; publishes the size if it is the session's own.
    fn look(&mut self) -> u64 {
        let conversation = self.conversation.whole(INTERRUPTED);
        let (tokens, is_whole) = (conversation.tokens(), conversation.is_told());
        if self.origin == Origin::Main {
            self.shared.context.is(tokens, is_whole);
        }
        tokens
    }

    /// Measures the conversation, unless deferred calls are waiting: measuring must not answer those.
    pub(crate) fn glance(&mut self) {
        if self.conversation.deferred().is_none() {
            self.look();
        }
    }

    /// Handles a conversation that the API rejected as too long.
    pub(super) async fn too_long(
        &mut self,
        turn: &mut Turn,
        message: String,
        cancel: &CancellationToken,
    ) -> Step {
        let why = match turn.guard.may_try() {
            Err(gave_up) => gave_up.to_string(),
            Ok(()) => match self.compact_in_turn(turn, cancel).await {
                Ok(()) => return Step::Prepare,
                Err(NotCompacted::Cancelled) => return Step::End(EndReason::Interrupted),
                Err(failed) => failed.to_string(),
            },
        };
        Step::End(self.does_not_fit(format!("{message} ({why})")))
    }

    async fn compact_in_turn(
        &mut self,
        turn: &mut Turn,
        cancel: &CancellationToken,
    ) -> Result<(), NotCompacted> {
        let compacted = self.compact(Trigger::Auto, None, cancel).await;
        match compacted {
            Ok(()) => turn.guard.compacted(),
            Err(_) => turn.guard.failed(),
        }
        compacted
    }

    /// Replaces the conversation with a summary: PreCompact, summary, SessionStart, PostCompact (L0).
    ///
    /// # Errors
    /// Errors with the reason why the conversation is unchanged.
    pub(crate) async fn compact(
        &mut self,
        trigger: Trigger,
        instructions: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<(), NotCompacted> {
        let conversation = self.conversation.whole(INTERRUPTED);
        let (messages, before) = (conversation.messages(), conversation.tokens());
        let (engine, session) = (self.shared.engine.clone(), self.facts.session());
        let (model, system) = (self.model.clone(), self.system.clone());
        let tools = engine.host().offered_tools(&self.toolbox);
        let compaction = Compaction {
            engine: &engine,
            session: &session,
            model: &*model,
            window: self.shared.window(&*model),
            system: (!system.is_empty()).then_some(system.as_str()),
            tools: &tools,
            trigger,
            instructions,
            cancel,
        };
        let (outcome, summary) = compaction.summary(&messages).await;
        if let Some(outcome) = &outcome {
            self.tell_of(EventKind::PreCompact, trigger, outcome, cancel);
        }
        let compacted = summary?;
        self.meter.answered(&*model, compacted.usage);
        self.take_summary(&compacted)?;
        let trigger_name = trigger.as_str().to_owned();
        self.updates.send(UpdateKind::Compacted { trigger: trigger_name, tokens_before: before });
        self.start_again(cancel).await;
        let outcome = compaction.fire_post_compact(&compacted).await;
        self.tell_of(EventKind::PostCompact, trigger, &outcome, cancel);
        self.instruct_again(cancel).await;
        self.glance();
        Ok(())
    }

    fn take_summary(&mut self, compacted: &CompactionSummary) -> Result<(), NotCompacted> {
        let conversation = self.conversation.whole(INTERRUPTED);
        let replaced = conversation.replace_by_summary(compacted.text.clone(), compacted.keep);
        self.store();
        replaced.map_err(|_| NotCompacted::Empty)
    }

    /// Fires SessionStart with `compact`; its hooks' context follows the summary.
    async fn start_again(&mut self, cancel: &CancellationToken) {
        let body = SessionStart::new("compact".to_owned())
            .model(self.model.name().to_owned())
            .session_title(self.shared.title());
        let fired = self.shared.fire(&self.facts, body, &self.updates, cancel).await;
        for text in fired.for_model() {
            self.remind(text);
        }
        self.store();
    }

    fn tell_of(&self, kind: EventKind, trigger: Trigger, outcome: &Outcome, cancel: &CancellationToken) {
        let hook = hook_messages::hook_name_for(kind, Some(trigger.as_str()));
        for notice in hook_messages::for_user(&hook, &outcome.verdict, cancel.is_cancelled()) {
            self.updates.notice(notice);
        }
    }

    /// Changes the title of the session.
    pub(crate) fn retitle(&mut self, title: &str) {
        self.name_session(title, &Note::Title(title.to_owned()));
    }

    /// Gives the session a generated title, which one of the user's, a hook or another program replaces.
    pub(crate) fn suggest_title(&mut self, title: &str) {
        self.name_session(title, &Note::GeneratedTitle(title.to_owned()));
    }

    fn name_session(&mut self, title: &str, note: &Note) {
        self.shared.set_title(title);
        self.conversation.note(note, &self.facts.cwd(), &self.updates);
        self.updates.send(UpdateKind::Titled { title: title.to_owned() });
    }
}
