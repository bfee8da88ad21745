//! Runs what there is at the end of a turn.

use super::super::agent_loop::{AgentLoop, INTERRUPTED, Step, Turn};
use super::super::end::EndReason;
use super::super::prepare::Woken;
use super::super::tasks::AtTurnEnd;
use super::decide::{Next, Prevention, Says, feedback, next};
use super::event::AtStop;
use super::summary;
use crate::hook_messages;
use crate::update::{Notice, UpdateKind};
use becket_engine::{CancellationToken, Outcome, catch_panic};
use becket_model::{Event, EventBody, EventKind};
use becket_tools::tasks::Tasks;

impl AgentLoop {
    /// The model is done: the host's tasks, then Stop or SubagentStop, then what they say.
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
        let mut says = match &fired {
            Some((hook, outcome)) => Says::of(hook, &outcome.verdict),
            None => Says::default(),
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Step::End(EndReason::Interrupted),
            wakes = self.wakes() => add(&mut says, self.stop_event.kind(), wakes),
        }
        if let Some((hook, outcome)) = &fired {
            self.tell_of_stop(hook, outcome, says.prevented.as_ref());
        }
        let step = self.go_on_or_end(turn, says);
        if matches!(step, Step::End(EndReason::Completed)) && self.waited_for_tasks(turn, cancel).await {
            return Step::Prepare;
        }
        // Without an answer so far, as its tasks were to come first.
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
            of: self.who.clone(),
            session: self.facts.session(),
            text: turn.text.clone(),
            messages: self.conversation.whole(INTERRUPTED).messages().into(),
            again: turn.stops.is_active(),
            cancel: cancel.clone(),
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            () = self.shared.at_turn_end.run(&at, &self.updates) => {}
        }
    }

    /// Fires the event by which the turn wants to end.
    async fn fire_stop(&self, turn: &Turn, cancel: &CancellationToken) -> Option<(String, Outcome)> {
        let background = self.shared.tasks.as_ref().map(Tasks::background_tasks);
        let at = AtStop {
            active: turn.stops.is_active(),
            text: turn.text.clone(),
            background: background.unwrap_or_default(),
        };
        self.fire_at_end(self.stop_event.body(at), cancel).await
    }

    /// Fires an event at the end of a turn. A failure of the engine itself is reported, and does not hold up the turn
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

    /// One summary, and one notice of what went wrong (L8).
    pub(super) fn tell_of_stop(&self, hook: &str, outcome: &Outcome, prevented: Option<&Prevention>) {
        for notice in hook_messages::messages(hook, &outcome.verdict) {
            self.updates.notice(notice);
        }
        let prevented = prevented.map(|prevented| prevented.because.clone());
        if let Some(summary) = summary::summary(outcome, prevented) {
            if let Some(notice) = summary::notice(hook, outcome, &summary) {
                self.updates.notice(notice);
            }
            self.updates.tell(UpdateKind::StopHooks(summary));
        }
    }

    pub(super) fn go_on_or_end(&mut self, turn: &mut Turn, says: Says) -> Step {
        let cap = self.shared.options.stop_cap;
        match next(&says, &mut turn.stops, cap) {
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
                // The answer that a hook wants is not one of those that the host allows (L4).
                turn.wanted_by_hooks += 1;
                self.send_back(says);
                Step::Prepare
            }
        }
    }

    /// Gives the model the reasons to continue.
    fn send_back(&mut self, says: Says) {
        let conversation = self.conversation.whole(INTERRUPTED);
        for block in says.blocks {
            conversation.feedback(block.clone());
            let content = vec![becket_llm::Block::Text(block)];
            self.updates.tell(UpdateKind::Told { content, hidden: true });
        }
        for context in says.contexts {
            conversation.beside(context);
        }
    }
}

/// Adds the output of hooks that were waited for late (A4): an exit 2 on Stop sends the model back; that of another
/// event
/// is context, and so continues, too.
fn add(says: &mut Says, event: EventKind, wakes: Vec<Woken>) {
    for wake in wakes {
        match wake {
            Woken::TurnGoesOn(text) => says.blocks.push(feedback(event, &text)),
            Woken::Told(text) => says.contexts.push(text),
            Woken::LoopStopped { told: _, because, by } => {
                says.prevented.get_or_insert(Prevention { because, by });
            }
            Woken::PromptRejected(because) => {
                let by = format!("{event} hook");
                says.prevented.get_or_insert(Prevention { because, by });
            }
        }
    }
}
