//! Runs the tasks and hooks at the end of a turn.

use super::super::agent_loop::{AgentLoop, INTERRUPTED, Step, Turn};
use super::super::end::EndReason;
use super::super::prepare::RewakeEffect;
use super::super::tasks::AtTurnEnd;
use super::decide::{Next, Prevention, StopOutput, feedback, next};
use super::event::AtStop;
use super::summary;
use crate::hook_messages;
use crate::update::{Notice, UpdateKind};
use becket_engine::{CancellationToken, Outcome, catch_panic};
use becket_model::{Event, EventBody, EventKind};
use becket_tools::tasks::Tasks;

impl AgentLoop {
    /// Handles the end of the model's work: runs the host's tasks, fires Stop or SubagentStop, and applies their
    /// results.
    pub(in super::super) async fn stop(&mut self, turn: &mut Turn, cancel: &CancellationToken) -> Step {
        if !self.may_hear_of_tasks()
            && let Some(step) = self.demand_output(turn)
        {
            return step;
        }
        self.turn_end_tasks(turn, cancel).await;
        if cancel.is_cancelled() {
            return Step::End(EndReason::Interrupted);
        }
        let fired = self.fire_stop(turn, cancel).await;
        if cancel.is_cancelled() {
            return Step::End(EndReason::Interrupted);
        }
        let mut combined = match &fired {
            Some((hook, outcome)) => StopOutput::of(hook, &outcome.verdict),
            None => StopOutput::default(),
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Step::End(EndReason::Interrupted),
            wakes = self.wakes() => add(&mut combined, self.stop_event.kind(), wakes),
        }
        if let Some((hook, outcome)) = &fired {
            self.tell_of_stop(hook, outcome, combined.prevented.as_ref());
        }
        let step = self.go_on_or_end(turn, combined);
        if matches!(step, Step::End(EndReason::Completed)) && self.waited_for_tasks(turn, cancel).await {
            return Step::Prepare;
        }
        // Without an answer yet, because its tasks had to run first.
        if matches!(step, Step::End(EndReason::Completed))
            && let Some(step) = self.demand_output(turn)
        {
            return step;
        }
        match (&step, self.mate.clone()) {
            (Step::End(EndReason::Completed), Some(mate)) => self.teammate_stops(turn, &mate, cancel).await,
            (_, Some(_) | None) => step,
        }
    }

    async fn turn_end_tasks(&mut self, turn: &Turn, cancel: &CancellationToken) {
        let at = AtTurnEnd {
            of: self.origin.clone(),
            session: self.facts.session(),
            text: turn.text.clone(),
            messages: self.conversation.whole(INTERRUPTED).messages().into(),
            stop_hook_active: turn.stops.is_active(),
            cancel: cancel.clone(),
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            () = self.shared.at_turn_end.run(&at, &self.updates) => {}
        }
    }

    /// Fires the event for the end of the turn.
    async fn fire_stop(&self, turn: &Turn, cancel: &CancellationToken) -> Option<(String, Outcome)> {
        let background = self.shared.tasks.as_ref().map(Tasks::background_tasks);
        let at = AtStop {
            active: turn.stops.is_active(),
            text: turn.text.clone(),
            background: background.unwrap_or_default(),
        };
        self.fire_at_end(self.stop_event.body(at), cancel).await
    }

    /// Fires an event at the end of a turn. A failure of the engine itself is reported, and does not block the turn
    /// (L6).
    pub(super) async fn fire_at_end(
        &self,
        body: EventBody,
        cancel: &CancellationToken,
    ) -> Option<(String, Outcome)> {
        let event = Event::new(self.facts.session(), body);
        let hook = hook_messages::hook_name(&event.body);
        match catch_panic(self.shared.engine.fire_until(&event, cancel)).await {
            Ok(outcome) => {
                self.meter.fired(&outcome);
                Some((hook, outcome))
            }
            Err(said) => {
                let text = format!("the hooks of {hook} could not be run, and the turn ends without: {said}");
                self.updates.notice(Notice::warning(text));
                None
            }
        }
    }

    /// Reports one summary, and one notice about errors (L8).
    pub(super) fn tell_of_stop(&self, hook: &str, outcome: &Outcome, prevented: Option<&Prevention>) {
        for notice in hook_messages::messages(hook, &outcome.verdict) {
            self.updates.notice(notice);
        }
        let prevented = prevented.map(|prevented| prevented.because.clone());
        if let Some(summary) = summary::summary(outcome, prevented) {
            if let Some(notice) = summary::notice(hook, outcome, &summary) {
                self.updates.notice(notice);
            }
            self.updates.send(UpdateKind::StopHooks(summary));
        }
    }

    pub(super) fn go_on_or_end(&mut self, turn: &mut Turn, combined: StopOutput) -> Step {
        let cap = self.shared.options.stop_cap;
        match next(&combined, &mut turn.stops, cap) {
            Next::Ends => Step::End(EndReason::Completed),
            Next::Prevented(Prevention { because, by }) => {
                Step::End(EndReason::HookStopped { because, by: Some(by) })
            }
            Next::Capped => {
                let text = format!(
                    "hooks have sent the model back {cap} times in a row: the turn ends, though they want more"
                );
                self.updates.notice(Notice::warning(text));
                Step::End(EndReason::Capped { cap })
            }
            Next::GoesOn => {
                // An answer that a hook requests does not count against the host's limit (L4).
                turn.wanted_by_hooks += 1;
                self.send_back(combined);
                Step::Prepare
            }
        }
    }

    /// Adds the reasons to continue for the model.
    fn send_back(&mut self, combined: StopOutput) {
        let conversation = self.conversation.whole(INTERRUPTED);
        for block in combined.blocks {
            conversation.feedback(block.clone());
            let content = vec![becket_llm::Block::Text(block)];
            self.updates.send(UpdateKind::UserMessage { content, hidden: true });
        }
        for context in combined.contexts {
            conversation.beside(context);
        }
    }
}

/// Adds the output of hooks that were waited for late (A4): an exit 2 on Stop makes the model continue; that of another
/// event is context, and so continues, too.
fn add(combined: &mut StopOutput, event: EventKind, wakes: Vec<RewakeEffect>) {
    for wake in wakes {
        match wake {
            RewakeEffect::TurnContinues(text) => combined.blocks.push(feedback(event, &text)),
            RewakeEffect::Reminder(text) => combined.contexts.push(text),
            RewakeEffect::LoopStopped { message: _, because, by } => {
                combined.prevented.get_or_insert(Prevention { because, by });
            }
            RewakeEffect::PromptRejected(because) => {
                let by = format!("{event} hook");
                combined.prevented.get_or_insert(Prevention { because, by });
            }
        }
    }
}
