//! One handler, broken by a mutant: the effect on its configuration, its stdin and its answer.

use crate::handler_key::HandlerKey;
use crate::mutant::Mutant;
use becket_engine::RunEnd;
use becket_engine::handler::{Handler, If};
use becket_process::{CapturedOutput, End};
use becket_rules::{Alphabet, Matcher, Renames};
use bytes::BytesMut;
use std::sync::Arc;
use std::time::Duration;

/// The longest time that a handler of a broken configuration runs: one that waits for its stdin must not hold up the
/// others. A case whose control took longer gets more.
const LIMIT: Duration = Duration::from_secs(10);

/// A mutant of one handler.
#[derive(Debug, Clone)]
pub(crate) struct Breakage {
    pub(crate) mutant: Mutant,
    pub(crate) handler: HandlerKey,
    /// The handlers of its matcher group, itself included.
    pub(crate) group: Arc<[HandlerKey]>,
    /// The longest time that any handler runs.
    pub(crate) limit: Duration,
}

impl Breakage {
    /// Breaks a handler by a mutant.
    pub(crate) fn new(mutant: Mutant, handler: HandlerKey, group: Arc<[HandlerKey]>) -> Self {
        Self { mutant, handler, group, limit: LIMIT }
    }

    /// Returns the same for a case whose control took this time.
    pub(crate) fn beside(&self, control: Duration) -> Self {
        Self { limit: LIMIT.max(control * 4), ..self.clone() }
    }

    /// Changes the configuration of a handler; `None` removes it.
    pub(crate) fn amend(&self, mut handler: Handler) -> Option<Handler> {
        let key = HandlerKey::of(&handler);
        let is_it = key == self.handler;
        // All of them: what the mutant changes may also be run by a copy, whose longer limit would count (H1), or by the
        // rest of the group.
        handler.timeout.limit = handler.timeout.limit.min(self.limit);
        match self.mutant {
            Mutant::Deleted if is_it => return None,
            Mutant::IfDropped if is_it => handler.condition = If::Absent,
            // An empty list of names matches nothing.
            Mutant::MatcherNever if self.group.contains(&key) => handler.matcher = matcher(",")?,
            Mutant::MatcherWidened if self.group.contains(&key) => handler.matcher = matcher("*")?,
            Mutant::Deleted
            | Mutant::IfDropped
            | Mutant::MatcherNever
            | Mutant::MatcherWidened
            | Mutant::AlwaysPass
            | Mutant::AlwaysDeny
            | Mutant::Exit1
            | Mutant::Exit2To1
            | Mutant::Killed
            | Mutant::TimesOut
            | Mutant::AnswerOnStderr
            | Mutant::EmptyStdin => {}
        }
        Some(handler)
    }

    /// Returns whether the runs of the handler are broken.
    pub(crate) fn breaks(&self, handler: &Handler) -> bool {
        !self.mutant.changes_plan() && HandlerKey::of(handler) == self.handler
    }

    /// Returns the end that replaces every run, if it does not depend on the run.
    pub(crate) fn replacement(&self) -> Option<RunEnd> {
        let ended =
            |end| RunEnd::Ended { end, stdout: CapturedOutput::default(), stderr: CapturedOutput::default() };
        match self.mutant {
            Mutant::AlwaysPass => Some(RunEnd::exited(0, "", "")),
            Mutant::AlwaysDeny => Some(RunEnd::exited(2, "", "denied by a mutant")),
            Mutant::Killed => Some(ended(End::Signaled(9))),
            Mutant::TimesOut => Some(ended(End::TimedOut)),
            Mutant::Exit1
            | Mutant::Exit2To1
            | Mutant::Deleted
            | Mutant::MatcherNever
            | Mutant::MatcherWidened
            | Mutant::IfDropped
            | Mutant::AnswerOnStderr
            | Mutant::EmptyStdin => None,
        }
    }

    /// Returns the broken end of a run.
    pub(crate) fn broken(&self, end: RunEnd) -> RunEnd {
        match (self.mutant, end) {
            (Mutant::Exit1, RunEnd::Ended { end: End::Exited(_), stdout, stderr })
            | (Mutant::Exit2To1, RunEnd::Ended { end: End::Exited(2), stdout, stderr }) => {
                RunEnd::Ended { end: End::Exited(1), stdout, stderr }
            }
            (Mutant::AnswerOnStderr, RunEnd::Ended { end, stdout, stderr }) => {
                let mut bytes = BytesMut::from(&stderr.bytes[..]);
                bytes.extend_from_slice(&stdout.bytes);
                let stderr = CapturedOutput { bytes: bytes.freeze(), total: stderr.total + stdout.total };
                RunEnd::Ended { end, stdout: CapturedOutput::default(), stderr }
            }
            (_, end) => end,
        }
    }

    /// Returns whether only a process can show the effect of the mutant.
    pub(crate) fn needs_process(&self) -> bool {
        self.empties_stdin()
    }

    /// Returns whether the handler gets nothing on stdin.
    pub(crate) fn empties_stdin(&self) -> bool {
        self.mutant == Mutant::EmptyStdin
    }
}

fn matcher(text: &str) -> Option<Matcher> {
    Matcher::compile(Some(text), Alphabet::Wide, &Renames::tools()).ok()
}
