//! Outputs that count as no usable answer under `onFailure: "block"` alone (O1, O10).
//!
//! Without the key a hook that printed a line too many has given no answer, and the event continues. With it, on the
//! events where it counts, an answer that was not understood completely is a failure, which the fold turns into a
//! block. An answer that blocks does so either way, with its own reason.

use super::json_answer::JsonAnswer;
use super::misplaced;
use super::{HandlerOutput, Interpretation};
use crate::failure::Failure;
use crate::reply::{Decision, ElicitationAction};
use crate::table::{DecisionModel, EventSpec, PlainStdout};

/// The number of characters of an output that an error quotes.
const QUOTED: usize = 40;

/// An output that is checked against O1.
pub(super) struct Output<'a> {
    pub(super) spec: &'a EventSpec,
    pub(super) printed: &'a HandlerOutput<'a>,
    /// Stdout without its announcement (A2).
    pub(super) body: &'a [u8],
    /// Set if it was read as plain text.
    pub(super) is_text: bool,
}

impl Output<'_> {
    /// Adds the failure that an output is under `onFailure: "block"` to its reply.
    pub(super) fn hold(&self, mut taken: Interpretation, stderr_line: Option<String>) -> Interpretation {
        if taken.failure.is_none()
            && self.printed.on_failure.closes(self.spec)
            && !holds_back(self.spec, &taken)
        {
            taken.failure = self.failure(&taken, stderr_line);
        }
        taken
    }

    fn failure(&self, taken: &Interpretation, stderr_line: Option<String>) -> Option<Failure> {
        match self.printed.exit {
            0 => self.unread().or_else(|| {
                let is_refusal = refuses_on_stderr(self.spec, self.printed.stderr);
                is_refusal.then_some(Failure::AnswerOnStderr)
            }),
            // If exit 2 blocks here, it has. Elsewhere it was meant to.
            2 => taken.reply.decision.is_none().then_some(Failure::PlainError { code: 2, stderr_line }),
            code => Some(Failure::ExitBesideAnswer { code, stderr_line }),
        }
    }

    /// Returns the failure of a stdout that is neither empty nor one JSON object.
    fn unread(&self) -> Option<Failure> {
        let is_answer = self.spec.plain_stdout != PlainStdout::Context;
        let kept = self.printed.stdout.len();
        match std::str::from_utf8(self.body) {
            _ if !is_answer => None,
            _ if self.printed.lost > 0 => Some(Failure::OutputCut { kept }),
            Err(error) => Some(Failure::NotUtf8 { at: kept - self.body.len() + error.valid_up_to() }),
            Ok(text) if self.is_text => Some(Failure::NotOneObject { begins: beginning(text) }),
            Ok(_) => None,
        }
    }
}

/// Adds the failure that a JSON answer is under `onFailure: "block"` to its reply.
pub(super) fn hold_answer(
    spec: &EventSpec,
    answer: &JsonAnswer,
    mut taken: Interpretation,
) -> Interpretation {
    if taken.failure.is_some() || holds_back(spec, &taken) {
        return taken;
    }
    let repeated = answer.repeated().first().map(|field| Failure::RepeatedKey { field: field.clone() });
    let misplaced = || {
        let field = misplaced::restricting(spec, answer.object()).next()?;
        Some(Failure::Misplaced { field, help: misplaced::help(spec) })
    };
    taken.failure = repeated.or_else(misplaced);
    taken
}

/// Returns whether stderr is a JSON object that would refuse the action of the event as an answer.
pub(super) fn refuses_on_stderr(spec: &EventSpec, stderr: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stderr);
    let Ok(answer) = JsonAnswer::parse(spec.kind, text.trim()) else { return false };
    holds_back(spec, &super::understood(spec, &answer))
        || misplaced::restricting(spec, answer.object()).next().is_some()
}

/// Returns whether the answer already holds back the action of the event.
pub(super) fn holds_back(spec: &EventSpec, taken: &Interpretation) -> bool {
    let stops_call = matches!(spec.decision, DecisionModel::Permission | DecisionModel::PermissionRequest)
        && taken.reply.stop.is_some();
    let decides = taken.reply.decision.as_ref().is_some_and(|decision| {
        decision.holds_back()
            || matches!(decision, Decision::Elicitation { action: ElicitationAction::Cancel, .. })
    });
    decides || stops_call
}

fn beginning(text: &str) -> String {
    let text = text.trim_start();
    let cut: String = text.chars().take(QUOTED).collect();
    let more = if cut.len() < text.trim_end().len() { "…" } else { "" };
    let escaped = cut.trim_end().chars().map(|character| match character {
        '"' | '\'' => character.to_string(),
        other => other.escape_debug().to_string(),
    });
    escaped.chain([more.to_owned()]).collect()
}
