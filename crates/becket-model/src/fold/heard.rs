//! One handler's part, as far as it counts: before the parts are weighed against each other, each is held to what its
//! place and the event allow.

use super::{Entry, FoldOptions};
use crate::failure::Failure;
use crate::reply::{DecidedBy, Decision, ElicitationAction, PermissionDecision, Reply, RequestDecision};
use crate::source::{OnFailure, Place};
use crate::table::{DecisionModel, EventSpec, OnFailureEffect};

/// A part that has been held to what it may say.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) place: Place,
    pub(super) reply: Reply,
    pub(super) failure: Option<Failure>,
    /// Its failure voids every allow (O10, PermissionRequest).
    pub(super) voids_allows: bool,
}

/// Holds an entry to C7b, D10, O10 and to the kinds of decision that the event knows.
pub(super) fn hear(
    spec: &EventSpec,
    options: FoldOptions,
    entry: Entry,
    warnings: &mut Vec<String>,
) -> Heard {
    let Entry { place, mut reply, failure } = entry;
    let decision = reply.decision.take();
    let decision = decision.and_then(|decision| fit(spec, &place, decision, warnings));
    let decision = decision.filter(|decision| may_say(&place, &failure, decision, warnings));
    reply.decision = decision;
    if is_defer(&reply) {
        defer(options, &place, &mut reply, warnings);
    }
    let closed = failure.as_ref().filter(|_| place.on_failure == OnFailure::Block);
    let mut voids_allows = false;
    match (closed, spec.on_failure) {
        (None, _) | (Some(_), OnFailureEffect::Nothing) => {}
        (Some(_), OnFailureEffect::VoidAllows) => voids_allows = true,
        (Some(failure), OnFailureEffect::Block) => {
            if !reply.decision.as_ref().is_some_and(Decision::holds_back) {
                reply.decision = Decision::block(spec, failure.to_string(), DecidedBy::Failure);
            }
        }
    }
    Heard { place, reply, failure, voids_allows }
}

/// Whether a decision lets something happen that would else be asked.
fn grants(decision: &Decision) -> bool {
    match decision {
        Decision::Permission { decision, .. } => *decision == PermissionDecision::Allow,
        Decision::PermissionRequest(answer) => matches!(answer, RequestDecision::Allow { .. }),
        Decision::Elicitation { action, .. } => *action == ElicitationAction::Accept,
        Decision::Block { .. } | Decision::Worktree(_) => false,
    }
}

/// A decision of another event's kind, which only an in-process handler can make: held back stays held back, the rest
/// is no decision here.
fn fit(spec: &EventSpec, place: &Place, decision: Decision, warnings: &mut Vec<String>) -> Option<Decision> {
    if is_of(spec.decision, &decision) {
        return Some(decision);
    }
    warnings.push(format!(
        "`{}` ({}) decided in a way that `{}` does not know",
        place.label, place.source, spec.kind
    ));
    if !decision.holds_back() {
        return None;
    }
    let (reason, by) = match decision {
        Decision::Permission { reason, by, .. } => (reason, by),
        Decision::Block { reason, by } => (Some(reason), by),
        Decision::PermissionRequest(RequestDecision::Deny { message, .. }) => (message, DecidedBy::Answer),
        Decision::PermissionRequest(_) | Decision::Elicitation { .. } | Decision::Worktree(_) => {
            (None, DecidedBy::Answer)
        }
    };
    Decision::block(spec, reason.unwrap_or_else(|| crate::interpret::BLOCKED.to_owned()), by)
}

fn is_of(model: DecisionModel, decision: &Decision) -> bool {
    match decision {
        Decision::Permission { .. } => model == DecisionModel::Permission,
        Decision::Block { .. } => matches!(
            model,
            DecisionModel::Block | DecisionModel::Task | DecisionModel::ContinueOnly | DecisionModel::Path
        ),
        Decision::PermissionRequest(_) => model == DecisionModel::PermissionRequest,
        Decision::Elicitation { .. } => model == DecisionModel::Elicitation,
        Decision::Worktree(_) => model == DecisionModel::Path,
    }
}

/// A handler that failed, or whose file has lost the right to (C7b), grants nothing.
fn may_say(
    place: &Place,
    failure: &Option<Failure>,
    decision: &Decision,
    warnings: &mut Vec<String>,
) -> bool {
    if !grants(decision) {
        return true;
    }
    let is_permission = !matches!(decision, Decision::Elicitation { .. });
    if is_permission && !place.may_grant {
        warnings.push(format!(
            "an allow of `{}` ({}) does not count: an entry of its file could not be loaded",
            place.label, place.source
        ));
        return false;
    }
    failure.is_none()
}

fn is_defer(reply: &Reply) -> bool {
    matches!(reply.decision, Some(Decision::Permission { decision: PermissionDecision::Defer, .. }))
}

/// D10: what stands beside a deferral is dropped, and with a person to ask it is an ask.
fn defer(options: FoldOptions, place: &Place, reply: &mut Reply, warnings: &mut Vec<String>) {
    reply.context.clear();
    reply.fields.updated_input = None;
    if let Some(Decision::Permission { decision, reason, .. }) = &mut reply.decision {
        *reason = None;
        if options.interactive {
            *decision = PermissionDecision::Ask;
            warnings.push(format!(
                "`defer` of `{}` ({}) counts as `ask`: the session is interactive",
                place.label, place.source
            ));
        }
    }
}
