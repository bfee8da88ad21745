//! One handler's reply, as far as it counts: before replies are weighed against each other, each is limited to what its
//! origin and the event allow.

use super::{Entry, FoldOptions};
use crate::failure::Failure;
use crate::reply::{DecidedBy, Decision, ElicitationAction, PermissionDecision, Reply, RequestDecision};
use crate::sandbox_answer::SandboxAnswer;
use crate::source::{HandlerOrigin, Privileges};
use crate::table::{DecisionModel, EventSpec};
use crate::verdict::Attributed;
use serde_json::{Map, Value};

/// The reason for asking about a call that a folder without trust rewrites.
const REWRITTEN: &str = "this hook rewrites the call, and its folder is not trusted";

/// A reply that is limited to what it may decide.
#[derive(Debug)]
pub(super) struct HandlerReply {
    pub(super) place: HandlerOrigin,
    pub(super) reply: Reply,
    pub(super) failure: Option<Failure>,
    /// True if it was cancelled before it could answer, so that no hook's allow counts (O10, PermissionRequest).
    pub(super) voids_allows: bool,
    /// An input that it may only propose for the prompt (G3).
    pub(super) proposal: Option<Map<String, Value>>,
}

/// Applies C7b, D10, O10 and the decision kinds of the event to an entry.
pub(super) fn apply(
    spec: &EventSpec,
    options: FoldOptions,
    entry: Entry,
    warnings: &mut Vec<String>,
) -> HandlerReply {
    let Entry { place, mut reply, failure } = entry;
    let decision = reply.decision.take();
    let decision = decision.and_then(|decision| fit(spec, &place, decision, warnings));
    let proposal = decision.as_ref().and_then(|decision| proposal(&place, decision));
    let decision = decision.filter(|decision| may_say(&place, &failure, decision, warnings));
    reply.decision = decision;
    if place.privileges == Privileges::Untrusted {
        ask_about_rewrite(spec, &mut reply);
    }
    if is_defer(&reply) {
        defer(options, &place, &mut reply, warnings);
    }
    refuse_rights(spec, &place, &mut reply);
    let mut voids_allows = false;
    match failure.as_ref().filter(|_| place.on_failure.closes(spec)) {
        None => {}
        // A person's answer to a prompt cancels its hooks, and must count (D8).
        Some(Failure::Cancelled) if spec.decision == DecisionModel::PermissionRequest => voids_allows = true,
        Some(_) if reply.decision.as_ref().is_some_and(Decision::holds_back) => {}
        Some(failure) => reply.decision = Decision::block(spec, failure.to_string(), DecidedBy::Failure),
    }
    HandlerReply { place, reply, failure, voids_allows, proposal }
}

/// Returns the rewrite of an allow that does not count, since its folder is not trusted (G3).
fn proposal(place: &HandlerOrigin, decision: &Decision) -> Option<Map<String, Value>> {
    match decision {
        Decision::PermissionRequest(RequestDecision::Allow { updated_input, .. })
            if place.privileges == Privileges::Untrusted =>
        {
            updated_input.clone()
        }
        Decision::PermissionRequest(_)
        | Decision::Permission { .. }
        | Decision::Block { .. }
        | Decision::Elicitation { .. }
        | Decision::Worktree(_) => None,
    }
}

/// Asks about a call that a folder without trust rewrites: without a person's approval it runs neither rewritten nor as
/// it was (G3).
fn ask_about_rewrite(spec: &EventSpec, reply: &mut Reply) {
    let rewrites = spec.decision == DecisionModel::Permission && reply.fields.updated_input.is_some();
    if rewrites && reply.decision.is_none() {
        reply.decision = Some(Decision::Permission {
            decision: PermissionDecision::Ask,
            reason: Some(REWRITTEN.to_owned()),
            by: DecidedBy::Answer,
        });
    }
}

/// Denies a call whose rights can't be read, since they may be none, and a permission that a hook of the prompt would
/// restrict, as no hook can do that (E5).
fn refuse_rights(spec: &EventSpec, place: &HandlerOrigin, reply: &mut Reply) {
    if !refuses_rights(spec, reply) || reply.decision.as_ref().is_some_and(Decision::holds_back) {
        return;
    }
    let Some(sandbox) = &reply.fields.sandbox else { return };
    let because = match sandbox {
        SandboxAnswer::Grant(_) => format!("a hook of `{}` can't do", spec.kind),
        SandboxAnswer::Unread { why } => format!("can't be read: {why}"),
    };
    let reason = Attributed::by(place, sandbox.clone()).refusal(&because);
    reply.decision = Decision::block(spec, reason, DecidedBy::Failure);
}

/// Returns whether a reply denies its call because its rights can't be applied.
pub(super) fn refuses_rights(spec: &EventSpec, reply: &Reply) -> bool {
    let Some(sandbox) = &reply.fields.sandbox else { return false };
    match spec.decision {
        DecisionModel::Permission => sandbox.unread().is_some(),
        DecisionModel::PermissionRequest => true,
        DecisionModel::None
        | DecisionModel::Context
        | DecisionModel::Block
        | DecisionModel::Retry
        | DecisionModel::Task
        | DecisionModel::ContinueOnly
        | DecisionModel::Display
        | DecisionModel::Path
        | DecisionModel::Elicitation => false,
    }
}

/// Returns whether a decision allows something that would otherwise be asked about.
fn grants(decision: &Decision) -> bool {
    match decision {
        Decision::Permission { decision, .. } => *decision == PermissionDecision::Allow,
        Decision::PermissionRequest(answer) => matches!(answer, RequestDecision::Allow { .. }),
        Decision::Elicitation { action, .. } => *action == ElicitationAction::Accept,
        Decision::Block { .. } | Decision::Worktree(_) => false,
    }
}

/// Converts a decision of another event's kind, which only an in-process handler can make: one that blocks still
/// blocks, anything else is not a decision here.
fn fit(
    spec: &EventSpec,
    place: &HandlerOrigin,
    decision: Decision,
    warnings: &mut Vec<String>,
) -> Option<Decision> {
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

/// Removes grants of a handler that failed, or whose file is not allowed to grant (C7b).
fn may_say(
    place: &HandlerOrigin,
    failure: &Option<Failure>,
    decision: &Decision,
    warnings: &mut Vec<String>,
) -> bool {
    if !grants(decision) {
        return true;
    }
    let is_permission = !matches!(decision, Decision::Elicitation { .. });
    let why = match place.privileges {
        Privileges::BrokenGuard if is_permission => "an entry of its file could not be loaded",
        Privileges::Untrusted if is_permission => "this folder is not trusted",
        Privileges::Full | Privileges::BrokenGuard | Privileges::Untrusted => return failure.is_none(),
    };
    warnings.push(format!("an allow of `{}` ({}) does not count: {why}", place.label, place.source));
    false
}

fn is_defer(reply: &Reply) -> bool {
    matches!(reply.decision, Some(Decision::Permission { decision: PermissionDecision::Defer, .. }))
}

/// Drops everything next to a deferral, which becomes an ask if there is a person to ask (D10).
fn defer(options: FoldOptions, place: &HandlerOrigin, reply: &mut Reply, warnings: &mut Vec<String>) {
    reply.context.clear();
    if reply.fields.updated_input.is_some() {
        reply.fields.updated_input = None;
    }
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
