//! The answer of a turn as JSON that matches the host's schema: requested until it is given, or the attempts are used
//! up.
//!
//! INVARIANT: a turn requests it a limited number of times, even if each call of the tool is denied.

use super::agent_loop::{AgentLoop, INTERRUPTED, Step, Turn};
use super::end::EndReason;
use crate::structured_output::{MISSING, NAME, StructuredOutput};
use crate::update::{Origin, UpdateKind};
use becket_llm::Block;
use serde_json::Value;

impl AgentLoop {
    /// Returns the output tool; subagents answer in text.
    fn output(&self) -> Option<&StructuredOutput> {
        self.shared.structured_output.as_ref().filter(|_| self.origin == Origin::Main)
    }

    /// Drops the previous answer at the start of a turn.
    pub(super) fn begin_output(&self) {
        if let Some(output) = self.output() {
            output.begin();
        }
    }

    /// Returns the number of open calls that give an answer.
    pub(super) fn output_calls(&mut self) -> u32 {
        if self.output().is_none() {
            return 0;
        }
        let calls = self.conversation.open().map(|open| open.calls()).unwrap_or_default();
        u32::try_from(calls.iter().filter(|call| call.name == NAME).count()).unwrap_or(u32::MAX)
    }

    /// Counts calls that have run, unless one of them was an answer; the turn ends if there were too many.
    pub(super) fn count_output(&mut self, turn: &mut Turn, calls: u32) -> Step {
        match self.output() {
            Some(output) if !output.is_given() => self.failed_output(turn, calls).unwrap_or(Step::Prepare),
            Some(_) | None => Step::Prepare,
        }
    }

    /// Requests an answer at the end of a turn; `None` if it was given.
    pub(super) fn demand_output(&mut self, turn: &mut Turn) -> Option<Step> {
        if self.output()?.is_given() {
            return None;
        }
        if let Some(end) = self.failed_output(turn, 1) {
            return Some(end);
        }
        self.conversation.whole(INTERRUPTED).feedback(MISSING);
        let content = vec![Block::Text(MISSING.to_owned())];
        self.updates.send(UpdateKind::UserMessage { content, hidden: true });
        Some(Step::Prepare)
    }

    fn failed_output(&self, turn: &mut Turn, attempts: u32) -> Option<Step> {
        turn.output_attempts = turn.output_attempts.saturating_add(attempts);
        let (attempts, most) = (turn.output_attempts, self.shared.options.output_attempts);
        let mismatch = self.output().and_then(StructuredOutput::mismatch);
        (attempts >= most).then_some(Step::End(EndReason::NoStructuredOutput { attempts, mismatch }))
    }

    /// Takes the answer of a turn, unless it has failed.
    pub(super) fn take_output(&self, reason: &EndReason) -> Option<Value> {
        self.output().and_then(StructuredOutput::take).filter(|_| !reason.is_error())
    }
}
