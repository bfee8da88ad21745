//! The answer of a turn as JSON of the host's schema: asked for until it is there, or its attempts are used up.
//!
//! INVARIANT: a turn asks for it a bounded number of times, also if each call of the tool is denied.

use super::agent_loop::{AgentLoop, INTERRUPTED, Step, Turn};
use super::end::EndReason;
use crate::structured_output::{MISSING, NAME, StructuredOutput};
use crate::update::{Origin, UpdateKind};
use becket_llm::Block;
use serde_json::Value;

impl AgentLoop {
    /// Subagents answer in text.
    fn output(&self) -> Option<&StructuredOutput> {
        self.shared.structured_output.as_ref().filter(|_| self.who == Origin::Main)
    }

    /// A turn begins without an answer.
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

    /// Asks for an answer at the end of a turn; `None` if it is there.
    pub(super) fn demand_output(&mut self, turn: &mut Turn) -> Option<Step> {
        if self.output()?.is_given() {
            return None;
        }
        if let Some(end) = self.failed_output(turn, 1) {
            return Some(end);
        }
        self.conversation.whole(INTERRUPTED).feedback(MISSING);
        let content = vec![Block::Text(MISSING.to_owned())];
        self.updates.tell(UpdateKind::Told { content, hidden: true });
        Some(Step::Prepare)
    }

    fn failed_output(&self, turn: &mut Turn, attempts: u32) -> Option<Step> {
        turn.output_attempts = turn.output_attempts.saturating_add(attempts);
        let (attempts, most) = (turn.output_attempts, self.shared.options.output_attempts);
        let mismatch = self.output().and_then(StructuredOutput::mismatch);
        (attempts >= most).then_some(Step::End(EndReason::NoStructuredOutput { attempts, mismatch }))
    }

    /// Takes the answer of a turn that has not failed.
    pub(super) fn take_output(&self, reason: &EndReason) -> Option<Value> {
        self.output().and_then(StructuredOutput::take).filter(|_| !reason.is_error())
    }
}
