//! The agent loop of a session or a subagent: a conversation that continues turn by turn.
//!
//! INVARIANT: however a turn ends (by an interrupt, a panic, a dropped future), the next one finds a conversation
//! without open calls.

use super::ask::{Answer, NoAnswer};
use super::conversation_log::ConversationLog;
use super::decide::{AfterAnswer, AnswerFacts, after_answer};
use super::end::{EndReason, TurnEnd};
use super::fallback::Aside;
use super::meter::{Expenses, Meter};
use super::session_shared::SessionShared;
use super::stop::{StopCount, StopEvent};
use crate::compact::Guard;
use crate::facts::Facts;
use crate::instructions::KnownInstructions;
use crate::tool_call::ToolCalls;
use crate::update::{Origin, Updates};
use becket_engine::{CancellationToken, ToolSet};
use becket_llm::{Block, BrokenCall, Model, StopReason};
use std::sync::Arc;
use tokio::time::Instant;

/// The result of a call that was open at an interrupt.
pub(super) const INTERRUPTED: &str = "the user interrupted the turn: this call was not run to its end";

/// The text for the model after an interrupt.
const AFTER_AN_INTERRUPT: &str = "[The user interrupted the turn.]";

/// The initial state of an agent loop.
pub(crate) struct Begin {
    /// The facts for its events.
    pub(crate) facts: Facts,
    pub(crate) toolbox: ToolSet,
    pub(crate) model: Arc<dyn Model>,
    /// The system prompt.
    pub(crate) system: String,
    pub(crate) conversation: ConversationLog,
    pub(crate) origin: Origin,
    /// The maximum number of answers in one turn.
    pub(crate) max_turns: Option<u32>,
    /// The event that is fired when it is about to end.
    pub(crate) stop_event: StopEvent,
    /// The name of its teammate, if it is one.
    pub(crate) mate: Option<Arc<str>>,
}

/// The loop of requests and tool calls of one agent.
pub(crate) struct AgentLoop {
    pub(crate) shared: Arc<SessionShared>,
    pub(crate) facts: Facts,
    pub(crate) toolbox: ToolSet,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) system: String,
    pub(crate) conversation: ConversationLog,
    pub(crate) origin: Origin,
    pub(crate) max_turns: Option<u32>,
    pub(crate) stop_event: StopEvent,
    /// The name of its teammate, if it is one.
    pub(crate) mate: Option<Arc<str>>,
    pub(crate) updates: Updates,
    /// Set if `model` replaces the agent's own model.
    pub(super) aside: Aside,
    pub(super) calls: ToolCalls,
    pub(super) meter: Meter,
    /// The instructions from files that this agent loop has seen.
    pub(super) known: KnownInstructions,
}

/// The start of a turn.
pub(crate) enum TurnStart {
    /// A prompt from the agent that a subagent works for.
    Prompt(Vec<Block>),
    /// No new prompt: reminders in the conversation wake the agent.
    AsItIs,
    /// The deferred calls (D10).
    Resume,
}

/// The next step of a turn.
pub(super) enum Step {
    /// Prepare the next request.
    Prepare,
    /// Send the request.
    Ask,
    /// Run the answer's calls.
    Calls(Vec<BrokenCall>),
    /// The model is done: check whether the turn ends.
    Stop,
    /// End the turn.
    End(EndReason),
}

/// The state of a running turn.
pub(super) struct Turn {
    /// The id of the turn (`turn_id` of MessageDisplay).
    pub(super) id: String,
    started: Instant,
    before: Expenses,
    pub(super) answers: u32,
    /// The number of answers that a hook requested at an end of the turn.
    pub(super) wanted_by_hooks: u32,
    /// The time until which background tasks are waited for, once they are.
    pub(super) waits_until: Option<Instant>,
    /// The text of the last answer.
    pub(super) text: String,
    pub(super) stops: StopCount,
    pub(super) guard: Guard,
    /// The number of attempts at an answer that matches the host's schema.
    pub(super) output_attempts: u32,
    cut_off: u32,
    paused: u32,
}

impl AgentLoop {
    pub(crate) fn new(shared: Arc<SessionShared>, begin: Begin) -> Self {
        let Begin { facts, toolbox, model, system, conversation, origin, max_turns, stop_event, mate } =
            begin;
        let meter = match origin {
            Origin::Main => shared.meter.clone(),
            Origin::Subagent { .. } => shared.meter.below(),
        };
        Self {
            calls: shared.calls(&toolbox),
            updates: shared.updates_of(&origin),
            shared,
            facts,
            toolbox,
            model,
            system,
            conversation,
            origin,
            max_turns,
            stop_event,
            mate,
            meter,
            aside: Aside::Nobody,
            known: KnownInstructions::default(),
        }
    }

    /// Runs a turn until it is the user's turn again. Never fails: errors are in the returned end.
    pub(crate) async fn turn(&mut self, start: TurnStart, cancel: &CancellationToken) -> TurnEnd {
        let mut turn = Turn {
            id: uuid::Uuid::new_v4().to_string(),
            started: Instant::now(),
            before: self.meter.spent(),
            answers: 0,
            wanted_by_hooks: 0,
            waits_until: None,
            text: String::new(),
            stops: StopCount::default(),
            guard: Guard::default(),
            output_attempts: 0,
            cut_off: 0,
            paused: 0,
        };
        self.own_model_again();
        self.begin_output();
        let mut step = self.begin(start);
        let mut in_calls = false;
        let reason = loop {
            if !matches!(step, Step::End(_)) {
                in_calls = matches!(step, Step::Calls(_));
            }
            step = match step {
                Step::Prepare => self.prepare(&mut turn, cancel).await,
                Step::Ask => self.answer(&mut turn, cancel).await,
                Step::Calls(broken) => self.run_calls(&mut turn, broken, cancel).await,
                Step::Stop => self.stop(&mut turn, cancel).await,
                Step::End(reason) => break reason,
            };
            self.store();
        };
        let reason = self.within_budget(reason);
        self.close_turn(&reason);
        self.end_of(turn, reason, in_calls)
    }

    fn begin(&mut self, start: TurnStart) -> Step {
        match start {
            TurnStart::Prompt(content) => match self.conversation.whole(INTERRUPTED).say(content) {
                Ok(()) => Step::Prepare,
                Err(error) => Step::End(EndReason::PromptRejected { because: error.to_string(), by: None }),
            },
            TurnStart::AsItIs => {
                self.conversation.whole(INTERRUPTED);
                Step::Prepare
            }
            TurnStart::Resume => self.resume(),
        }
    }

    /// Resumes the deferred calls, if all of their tools still exist (D10).
    fn resume(&mut self) -> Step {
        let calls =
            self.conversation.deferred().map(crate::conversation::DeferredCalls::calls).unwrap_or_default();
        if let Some(gone) =
            calls.iter().find(|call| self.toolbox.find(self.shared.resolve_alias(&call.name)).is_none())
        {
            return Step::End(EndReason::DeferredUnavailable { tool_name: gone.name.clone() });
        }
        if calls.is_empty() {
            return Step::Prepare;
        }
        self.conversation.resume();
        self.store();
        Step::Calls(Vec::new())
    }

    /// Sends one request and handles its answer.
    async fn answer(&mut self, turn: &mut Turn, cancel: &CancellationToken) -> Step {
        let answer = match self.ask(&turn.id, cancel).await {
            Ok(answer) => answer,
            Err(NoAnswer::TooLong(message)) => return self.too_long(turn, message, cancel).await,
            Err(none) => return Step::End(self.unanswered(none)),
        };
        let Answer { response, broken, display } = answer;
        let stop = response.stop.clone();
        turn.answers += 1;
        turn.guard.answered();
        turn.cut_off = if stop == StopReason::MaxTokens { turn.cut_off + 1 } else { 0 };
        turn.paused = if stop == StopReason::PauseTurn { turn.paused + 1 } else { 0 };
        let calls = response.tool_uses().next().is_some();
        let broken = super::batch::places_among_calls(&response.content, broken);
        let answered = AnswerFacts { calls, stop: &stop, cut_off: turn.cut_off, paused: turn.paused };
        let after = after_answer(answered);
        self.take_answer(turn, response, after, display, cancel).await;
        match after {
            AfterAnswer::Calls => Step::Calls(broken),
            AfterAnswer::Done => Step::Stop,
            AfterAnswer::Again => Step::Prepare,
            AfterAnswer::GoOn => {
                self.go_on_after_a_cut();
                Step::Prepare
            }
            AfterAnswer::Declined => Step::End(self.declined()),
            AfterAnswer::CutOffTooOften => Step::End(self.cut_off_too_often()),
        }
    }

    /// Stores new entries.
    pub(crate) fn store(&mut self) {
        self.conversation.store(&self.facts.cwd(), &self.updates);
    }

    /// Closes all calls except those that wait for a resume.
    fn close_turn(&mut self, reason: &EndReason) {
        self.own_model_again();
        match reason {
            EndReason::Deferred { .. } | EndReason::DeferredUnavailable { .. } => {}
            EndReason::Interrupted => self.conversation.whole(INTERRUPTED).feedback(AFTER_AN_INTERRUPT),
            EndReason::Completed
            | EndReason::Capped { .. }
            | EndReason::HookStopped { .. }
            | EndReason::PromptRejected { .. }
            | EndReason::MaxTurns { .. }
            | EndReason::BudgetSpent { .. }
            | EndReason::DeniedTooOften { .. }
            | EndReason::NoStructuredOutput { .. }
            | EndReason::ApiError { .. }
            | EndReason::TooLong { .. } => {
                self.conversation.whole(INTERRUPTED);
            }
        }
        self.store();
        self.glance();
    }

    fn end_of(&self, turn: Turn, reason: EndReason, in_calls: bool) -> TurnEnd {
        let spent = self.meter.spent().since(&turn.before);
        let cost_usd = spent.cost_usd();
        let Expenses { usage, with_model, denials, .. } = spent;
        let structured_output = self.take_output(&reason);
        TurnEnd {
            in_calls: in_calls && reason == EndReason::Interrupted,
            reason,
            text: turn.text,
            answers: turn.answers,
            usage,
            took: turn.started.elapsed(),
            took_model: with_model,
            cost_usd,
            denials,
            structured_output,
        }
    }
}
