//! The preparation of each request: limits, and pending input.

use super::agent_loop::{AgentLoop, Step, Turn};
use super::end::{EndReason, RejectedByHook};
use super::fallback::Aside;
use crate::hook_messages;
use crate::transcript::Note;
use crate::update::{Notice, Origin};
use becket_engine::CancellationToken;
use becket_model::EventKind;
use becket_model::table::Exit2Effect;
use becket_tools::tasks::Tasks;
use std::sync::Arc;

/// The effect of the exit code 2 of a detached hook (A4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RewakeEffect {
    /// The model sees the text.
    Reminder(String),
    /// The prompt is rejected.
    PromptRejected(String),
    /// The turn ends before its next request; the model sees the text in the next turn.
    LoopStopped {
        /// The text for the model.
        message: String,
        /// The reason for the user.
        because: String,
        /// The name of the hook.
        by: String,
    },
    /// The turn continues with the text.
    TurnContinues(String),
}

/// Returns the effect of a wake in a run that waits for it: that of an exit code 2, as far as it still applies.
pub(crate) fn rewake_effect(event: EventKind, label: &str, reminder: &str) -> RewakeEffect {
    let text = format!("[{label}]: {reminder}");
    let message = format!("{event} hook blocking error from command: \"{label}\": {text}");
    let because = reminder.to_owned();
    match event.spec().exit_2.effect {
        Exit2Effect::RejectPrompt | Exit2Effect::BlockExpansion => RewakeEffect::PromptRejected(because),
        Exit2Effect::StopLoop => {
            RewakeEffect::LoopStopped { message, because, by: format!("{event} hook `{label}`") }
        }
        Exit2Effect::ContinueTurn => RewakeEffect::TurnContinues(text),
        Exit2Effect::Proceed
        | Exit2Effect::Ignored
        | Exit2Effect::DenyTool
        | Exit2Effect::Feedback
        | Exit2Effect::Rollback
        | Exit2Effect::RefuseCompletion
        | Exit2Effect::KeepWorking
        | Exit2Effect::BlockCompaction
        | Exit2Effect::BlockSwitch
        | Exit2Effect::BlockChange
        | Exit2Effect::FailCreation
        | Exit2Effect::Decline => RewakeEffect::Reminder(message),
    }
}

impl AgentLoop {
    /// Before a request: checks the limit of answers, handles wakes, and adds the results of background hooks and
    /// tasks.
    pub(super) async fn prepare(&mut self, turn: &mut Turn, cancel: &CancellationToken) -> Step {
        if cancel.is_cancelled() {
            return Step::End(EndReason::Interrupted);
        }
        let counted = turn.answers.saturating_sub(turn.wanted_by_hooks);
        if let Some(limit) = self.max_turns.filter(|limit| counted >= *limit) {
            return Step::End(EndReason::MaxTurns { limit });
        }
        if let Some(end) = self.out_of_budget() {
            return Step::End(end);
        }
        let wakes = tokio::select! {
            biased;
            () = cancel.cancelled() => return Step::End(EndReason::Interrupted),
            wakes = self.wakes() => wakes,
        };
        for wake in wakes {
            match wake {
                RewakeEffect::Reminder(text) | RewakeEffect::TurnContinues(text) => self.remind(text),
                // The prompt was accepted before, so this rejects the rest of the turn.
                RewakeEffect::PromptRejected(because) => {
                    let by = RejectedByHook { event: EventKind::UserPromptSubmit.to_string(), prompt: None };
                    return Step::End(EndReason::PromptRejected { because, by: Some(by) });
                }
                RewakeEffect::LoopStopped { message, because, by } => {
                    self.remind(message);
                    return Step::End(EndReason::HookStopped { because, by: Some(by) });
                }
            }
        }
        self.take_model();
        self.take_news();
        self.take_mail().await;
        self.make_room(turn, cancel).await
    }

    /// Switches to the model that the session has changed to; a subagent keeps its own.
    fn take_model(&mut self) {
        let own = self.own_model();
        let other = self.shared.seat.chosen_model().filter(|model| !Arc::ptr_eq(model, own));
        if let (Some(model), Origin::Main) = (other, &self.origin) {
            self.aside = Aside::Nobody;
            self.model = model;
            let note = Note::Model(self.model.name().to_owned());
            self.conversation.note(&note, &self.facts.cwd(), &self.updates);
        }
    }

    /// Returns the effects of detached hooks on this run, once they have ended; empty if the session can be woken (A4).
    pub(crate) async fn wakes(&self) -> Vec<RewakeEffect> {
        if !self.shared.options.one_shot || self.origin != Origin::Main {
            return Vec::new();
        }
        let session = self.facts.session().id;
        let wakes = self.shared.engine.host().wait_for_rewakes(&session).await;
        wakes.iter().map(|wake| rewake_effect(wake.event, &wake.label, &wake.reminder)).collect()
    }

    /// Adds what has arrived since the last request, from background hooks (A3) and background tasks, for the model.
    /// Only the session's own agent loop receives it.
    fn take_news(&mut self) {
        if self.origin != Origin::Main {
            return;
        }
        let session = self.facts.session().id;
        for delivered in self.shared.engine.host().collect_background(&session) {
            let hook = hook_messages::hook_name_for(delivered.event, None);
            if delivered.missed > 0 {
                let text = format!("{} results of background hooks were lost", delivered.missed);
                self.updates.notice(Notice::warning(text));
            }
            for text in &delivered.contexts {
                self.remind(format!("{hook} hook additional context: {text}"));
            }
        }
        let ended = self.shared.tasks.as_ref().map(Tasks::take_ended).unwrap_or_default();
        // The team reports the end of a teammate.
        for task in ended.iter().filter(|task| !task.kind.is_teammate()) {
            self.remind(task.words());
        }
        for text in self.shared.take_reminders() {
            self.remind(text);
        }
    }

    /// Adds a text to the conversation.
    pub(crate) fn remind(&mut self, text: impl Into<String>) {
        self.conversation.whole(super::agent_loop::INTERRUPTED).beside(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::EventKind;

    // rule: A4
    #[test]
    fn an_exit_2_that_came_late_does_what_it_still_can() {
        let of = |event: EventKind| rewake_effect(event, "h", "bad");
        let message = |event: EventKind| format!("{event} hook blocking error from command: \"h\": [h]: bad");
        for event in [EventKind::PostToolUse, EventKind::PreToolUse, EventKind::SessionStart] {
            assert_eq!(of(event), RewakeEffect::Reminder(message(event)));
        }
        assert_eq!(of(EventKind::UserPromptSubmit), RewakeEffect::PromptRejected("bad".into()));
        let stopped = RewakeEffect::LoopStopped {
            message: message(EventKind::PostToolBatch),
            because: "bad".into(),
            by: "PostToolBatch hook `h`".into(),
        };
        assert_eq!(of(EventKind::PostToolBatch), stopped);
        assert_eq!(of(EventKind::Stop), RewakeEffect::TurnContinues("[h]: bad".into()));
    }
}
