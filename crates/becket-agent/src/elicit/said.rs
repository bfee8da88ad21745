//! What hooks say to a question, once it is held to what was asked (`protocol.md` D11, O10).

use super::form::{fitting, in_words};
use super::user::Wanted;
use becket_engine::{Outcome, Run};
use becket_mcp::ElicitationAnswer;
use becket_model::{Decision, ElicitationAction, OnFailure, Ruling};
use serde_json::{Map, Value};
use std::cmp::Reverse;

/// What the hooks of one event say together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    /// Their answer, if they give one.
    pub(super) answer: Option<ElicitationAnswer>,
    /// What is wrong with the answers that don't count, each with whose it is.
    pub(super) failures: Vec<String>,
}

/// Reads it. `own` is the content that an acceptance without one means.
pub(super) fn read(outcome: &Outcome, wanted: &Wanted, own: &Map<String, Value>) -> Said {
    match &outcome.verdict.ruling {
        Ruling::Elicitation { action: ElicitationAction::Decline, .. } => {
            Said::plain(ElicitationAnswer::Decline)
        }
        Ruling::Elicitation { action: ElicitationAction::Cancel, .. } => {
            Said::plain(ElicitationAnswer::Cancel)
        }
        Ruling::Elicitation { action: ElicitationAction::Accept, .. } => accepted(outcome, wanted, own),
        Ruling::None => Said { answer: None, failures: Vec::new() },
        // No other ruling is given on these events; were there one, it would be one that holds back.
        Ruling::Permission { .. }
        | Ruling::Block(_)
        | Ruling::RequestAllow { .. }
        | Ruling::RequestDeny { .. }
        | Ruling::Worktree(_)
        | Ruling::WorktreeFailed(_) => Said::plain(ElicitationAnswer::Decline),
    }
}

impl Said {
    fn plain(answer: ElicitationAnswer) -> Self {
        Said { answer: Some(answer), failures: Vec::new() }
    }
}

/// All say yes. That of the most trusted counts whose content fits; one that does not fit is none, and a no where its
/// handler is to fail closed.
fn accepted(outcome: &Outcome, wanted: &Wanted, own: &Map<String, Value>) -> Said {
    let mut runs: Vec<(&Run, &Option<Map<String, Value>>)> =
        outcome.runs.iter().filter_map(|run| Some((&**run, accepts(run)?))).collect();
    runs.sort_by_key(|(run, _)| {
        let place = &run.handler.place;
        (place.source.trust_rank(), Reverse(place.position))
    });
    let (mut answer, mut failures, mut closed) = (None, Vec::new(), false);
    for (run, content) in runs {
        let place = &run.handler.place;
        match fitting(wanted, content.as_ref().unwrap_or(own).clone()) {
            Ok(content) if answer.is_none() => answer = Some(ElicitationAnswer::Accept(content)),
            Ok(_) => {}
            Err(wrong) => {
                closed |= place.on_failure == OnFailure::Block;
                let wrong = in_words(&wrong);
                failures.push(format!(
                    "the answer of the hook `{}` ({}) does not fit the form and was not sent: {wrong}",
                    place.label, place.source
                ));
            }
        }
    }
    Said { answer: if closed { Some(ElicitationAnswer::Decline) } else { answer }, failures }
}

fn accepts(run: &Run) -> Option<&Option<Map<String, Value>>> {
    match run.reply.decision.as_ref()? {
        Decision::Elicitation { action: ElicitationAction::Accept, content } => Some(content),
        Decision::Elicitation { .. }
        | Decision::Permission { .. }
        | Decision::Block { .. }
        | Decision::PermissionRequest(_)
        | Decision::Worktree(_) => None,
    }
}
