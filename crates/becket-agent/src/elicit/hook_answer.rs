//! Hooks' answers to a question, checked against its schema (`protocol.md` D11, O10).

use super::form::{describe_errors, fitting};
use super::user::ElicitationRequest;
use becket_engine::{Outcome, Run};
use becket_mcp::ElicitationAnswer;
use becket_model::{Decision, ElicitationAction, OnFailure, Ruling};
use serde_json::{Map, Value};
use std::cmp::Reverse;

/// The combined answer of the hooks of one event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HookAnswer {
    /// The hooks' answer, if they give one.
    pub(super) answer: Option<ElicitationAnswer>,
    /// The errors in the answers that don't count, each with its hook.
    pub(super) failures: Vec<String>,
}

/// The meaning of an acceptance without content.
#[derive(Debug, Clone, Copy)]
pub(super) enum EmptyAcceptance<'a> {
    /// This content: the user's own, or only the form's defaults.
    Content(&'a Map<String, Value>),
    /// No content: the user has declined, and a hook may only fill in a form instead.
    MakesNoYes,
}

/// Reads the combined answer.
pub(super) fn read(
    outcome: &Outcome,
    wanted: &ElicitationRequest,
    unfilled: EmptyAcceptance<'_>,
) -> HookAnswer {
    match &outcome.verdict.ruling {
        Ruling::Elicitation { action: ElicitationAction::Decline, .. } => {
            HookAnswer::plain(ElicitationAnswer::Decline)
        }
        Ruling::Elicitation { action: ElicitationAction::Cancel, .. } => {
            HookAnswer::plain(ElicitationAnswer::Cancel)
        }
        Ruling::Elicitation { action: ElicitationAction::Accept, .. } => accepted(outcome, wanted, unfilled),
        Ruling::None => HookAnswer { answer: None, failures: Vec::new() },
        // No other ruling exists for these events; if there were one, it would be restrictive.
        Ruling::Permission { .. }
        | Ruling::Block(_)
        | Ruling::RequestAllow { .. }
        | Ruling::RequestDeny { .. }
        | Ruling::Worktree(_)
        | Ruling::WorktreeFailed(_) => HookAnswer::plain(ElicitationAnswer::Decline),
    }
}

impl HookAnswer {
    fn plain(answer: ElicitationAnswer) -> Self {
        HookAnswer { answer: Some(answer), failures: Vec::new() }
    }
}

/// Combines the answers if all hooks accept. The most trusted content that fits is used; content that does not fit is
/// no answer, and a decline if its handler fails closed.
fn accepted(outcome: &Outcome, wanted: &ElicitationRequest, unfilled: EmptyAcceptance<'_>) -> HookAnswer {
    let mut runs: Vec<(&Run, &Option<Map<String, Value>>)> =
        outcome.runs.iter().filter_map(|run| Some((&**run, accepts(run)?))).collect();
    runs.sort_by_key(|(run, _)| {
        let place = &run.handler.place;
        (place.source.trust_rank(), Reverse(place.position))
    });
    let (mut answer, mut failures, mut closed) = (None, Vec::new(), false);
    for (run, content) in runs {
        let place = &run.handler.place;
        let wrong = match filled(wanted, content.as_ref(), unfilled) {
            Ok(content) => {
                answer.get_or_insert(ElicitationAnswer::Accept(content));
                continue;
            }
            Err(wrong) => wrong,
        };
        closed |= place.on_failure == OnFailure::Block;
        failures.push(format!("the answer of the hook `{}` ({}) {wrong}", place.label, place.source));
    }
    HookAnswer { answer: if closed { Some(ElicitationAnswer::Decline) } else { answer }, failures }
}

/// Returns the content of an acceptance.
///
/// # Errors
/// Errors with the reason why the content can't be used.
fn filled(
    wanted: &ElicitationRequest,
    content: Option<&Map<String, Value>>,
    unfilled: EmptyAcceptance<'_>,
) -> Result<Map<String, Value>, String> {
    let content = match (content, unfilled, wanted) {
        (Some(content), EmptyAcceptance::Content(_), _) | (Some(content), _, ElicitationRequest::Form(_)) => {
            content
        }
        (None, EmptyAcceptance::Content(content), _) => content,
        (None, EmptyAcceptance::MakesNoYes, ElicitationRequest::Form(_)) => {
            return Err("has no `content`, and makes no yes of the user's no".to_owned());
        }
        (_, EmptyAcceptance::MakesNoYes, ElicitationRequest::Visit(_)) => {
            return Err("makes no yes of the user's no: nobody has opened the address".to_owned());
        }
    };
    let wrong =
        |wrong: Vec<_>| format!("does not fit the form and was not sent: {}", describe_errors(&wrong));
    fitting(wanted, content.clone()).map_err(wrong)
}

fn accepts(run: &Run) -> Option<&Option<Map<String, Value>>> {
    // A failed run grants nothing, as in the fold.
    match run.reply.decision.as_ref().filter(|_| run.failure.is_none())? {
        Decision::Elicitation { action: ElicitationAction::Accept, content } => Some(content),
        Decision::Elicitation { .. }
        | Decision::Permission { .. }
        | Decision::Block { .. }
        | Decision::PermissionRequest(_)
        | Decision::Worktree(_) => None,
    }
}
