//! The ruling, by the event's decision model: one total `match`.

use super::{HandlerReply, settle};
use crate::interpret::BLOCKED;
use crate::reply::{DecidedBy, Decision, ElicitationAction, PermissionDecision, Reply, RequestDecision};
use crate::table::{DecisionModel, EventSpec};
use crate::verdict::{Attributed, Reason, Ruling};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The reason of an ask without one.
const ASKED: &str = "Asked by hook";

/// Combines all decisions.
pub(super) fn rule(spec: &EventSpec, replies: &[HandlerReply], warnings: &mut Vec<String>) -> Ruling {
    match spec.decision {
        DecisionModel::None | DecisionModel::Context | DecisionModel::Retry | DecisionModel::Display => {
            Ruling::None
        }
        DecisionModel::Permission => permission(replies),
        DecisionModel::Block | DecisionModel::Task | DecisionModel::ContinueOnly => {
            let reasons = blocks(replies);
            if reasons.is_empty() { Ruling::None } else { Ruling::Block(reasons) }
        }
        DecisionModel::PermissionRequest => request(replies, warnings),
        DecisionModel::Elicitation => elicitation(replies, warnings),
        DecisionModel::Path => worktree(replies),
    }
}

/// Returns the reasons that `pick` finds, those of failures last: an explicit denial's reason goes first (H9).
fn reasons(replies: &[HandlerReply], pick: impl Fn(&Decision) -> Option<Reason>) -> Vec<Attributed<Reason>> {
    let mut found: Vec<Attributed<Reason>> = replies
        .iter()
        .filter_map(|one| Some(Attributed::by(&one.place, one.reply.decision.as_ref().and_then(&pick)?)))
        .collect();
    found.sort_by_key(|one| one.what.by == DecidedBy::Failure);
    found
}

/// Returns the strictest decision and its reasons (D1).
fn permission(replies: &[HandlerReply]) -> Ruling {
    let permission_of = |decision: &Decision| match decision {
        Decision::Permission { decision, reason, by } => Some((*decision, reason.clone(), *by)),
        Decision::Block { .. }
        | Decision::PermissionRequest(_)
        | Decision::Elicitation { .. }
        | Decision::Worktree(_) => None,
    };
    let strictest = replies
        .iter()
        .filter_map(|one| one.reply.decision.as_ref().and_then(permission_of))
        .map(|(decision, ..)| decision)
        .max();
    let Some(strictest) = strictest else { return Ruling::None };
    let reasons = reasons(replies, |decision| {
        let (decision, reason, by) = permission_of(decision)?;
        let text = reason.unwrap_or_else(|| default_reason(decision).to_owned());
        (decision == strictest).then_some(Reason { text, by })
    });
    Ruling::Permission { decision: strictest, reasons }
}

fn default_reason(decision: PermissionDecision) -> &'static str {
    match decision {
        PermissionDecision::Deny => BLOCKED,
        PermissionDecision::Ask => ASKED,
        PermissionDecision::Allow | PermissionDecision::Defer => "",
    }
}

fn blocks(replies: &[HandlerReply]) -> Vec<Attributed<Reason>> {
    reasons(replies, |decision| match decision {
        Decision::Block { reason, by } => Some(Reason { text: reason.clone(), by: *by }),
        Decision::Permission { .. }
        | Decision::PermissionRequest(_)
        | Decision::Elicitation { .. }
        | Decision::Worktree(_) => None,
    })
}

/// Returns the answer to a permission prompt: any denial wins over any allow (D8).
fn request(replies: &[HandlerReply], warnings: &mut Vec<String>) -> Ruling {
    let denials = reasons(replies, |decision| match decision {
        Decision::PermissionRequest(RequestDecision::Deny { message, .. }) => Some(Reason {
            text: message.clone().unwrap_or_else(|| BLOCKED.to_owned()),
            by: DecidedBy::Answer,
        }),
        Decision::PermissionRequest(RequestDecision::Allow { .. })
        | Decision::Permission { .. }
        | Decision::Block { .. }
        | Decision::Elicitation { .. }
        | Decision::Worktree(_) => None,
    });
    if !denials.is_empty() {
        return Ruling::RequestDeny { reasons: denials, interrupt: replies.iter().any(interrupts) };
    }
    if !replies.iter().any(|one| allowed(one).is_some()) {
        return Ruling::None;
    }
    if let Some(failed) = replies.iter().find(|one| one.voids_allows) {
        warnings.push(format!(
            "no hook's allow counts: `{}` ({}) was cancelled before it answered, and its `onFailure` is `block`",
            failed.place.label, failed.place.source
        ));
        return Ruling::None;
    }
    allow(replies, warnings)
}

fn interrupts(one: &HandlerReply) -> bool {
    matches!(
        one.reply.decision,
        Some(Decision::PermissionRequest(RequestDecision::Deny { interrupt: true, .. }))
    )
}

type AllowEffects<'a> = (Option<&'a Map<String, Value>>, &'a [Value]);

fn allowed(one: &HandlerReply) -> Option<AllowEffects<'_>> {
    one.reply.decision.as_ref().and_then(allowed_by)
}

fn allowed_by(decision: &Decision) -> Option<AllowEffects<'_>> {
    match decision {
        Decision::PermissionRequest(RequestDecision::Allow { updated_input, updated_permissions }) => {
            Some((updated_input.as_ref(), updated_permissions))
        }
        Decision::PermissionRequest(RequestDecision::Deny { .. })
        | Decision::Permission { .. }
        | Decision::Block { .. }
        | Decision::Elicitation { .. }
        | Decision::Worktree(_) => None,
    }
}

fn allowed_input(reply: &Reply) -> Option<&Map<String, Value>> {
    reply.decision.as_ref().and_then(allowed_by)?.0
}

fn allow(replies: &[HandlerReply], warnings: &mut Vec<String>) -> Ruling {
    let updated_permissions = replies
        .iter()
        .filter_map(|one| allowed(one).map(|(_, updates)| (one, updates)))
        .flat_map(|(one, updates)| updates.iter().map(|update| Attributed::by(&one.place, update.clone())))
        .collect();
    Ruling::RequestAllow {
        updated_input: settle::most_trusted(replies, "updatedInput", allowed_input, warnings),
        updated_permissions,
    }
}

/// Returns the strictest action, with the content of the most trusted accept (D11).
fn elicitation(replies: &[HandlerReply], warnings: &mut Vec<String>) -> Ruling {
    let strictest = replies.iter().filter_map(|one| action(&one.reply)).max();
    let Some(action) = strictest.copied() else { return Ruling::None };
    if action != ElicitationAction::Accept {
        return Ruling::Elicitation { action, content: None };
    }
    let accepted = settle::most_trusted(replies, "content", content, warnings);
    let content =
        accepted.and_then(|one| Some(Attributed { source: one.source, label: one.label, what: one.what? }));
    Ruling::Elicitation { action, content }
}

fn action(reply: &Reply) -> Option<&ElicitationAction> {
    match &reply.decision {
        Some(Decision::Elicitation { action, .. }) => Some(action),
        Some(
            Decision::Permission { .. }
            | Decision::Block { .. }
            | Decision::PermissionRequest(_)
            | Decision::Worktree(_),
        )
        | None => None,
    }
}

fn content(reply: &Reply) -> Option<&Option<Map<String, Value>>> {
    match &reply.decision {
        Some(Decision::Elicitation { content, .. }) => Some(content),
        Some(
            Decision::Permission { .. }
            | Decision::Block { .. }
            | Decision::PermissionRequest(_)
            | Decision::Worktree(_),
        )
        | None => None,
    }
}

/// Returns the worktree: one failure fails the creation, and so do two different paths; every reason is reported (D11).
fn worktree(replies: &[HandlerReply]) -> Ruling {
    let failures = replies.iter().filter_map(|one| {
        let text = one.failure.as_ref()?.to_string();
        Some(Attributed::by(&one.place, Reason { text, by: DecidedBy::Failure }))
    });
    let made: Vec<(&HandlerReply, &PathBuf)> =
        replies.iter().filter_map(|one| made(one).map(|path| (one, path))).collect();
    let quarrel = made.iter().any(|(_, path)| *path != made[0].1);
    let quarrels = made.iter().filter(|_| quarrel).map(|(one, path)| {
        let text = format!("made `{}`, and another hook made a different worktree", path.display());
        Attributed::by(&one.place, Reason { text, by: DecidedBy::Answer })
    });
    let failed: Vec<Attributed<Reason>> =
        blocks(replies).into_iter().chain(quarrels).chain(failures).collect();
    match made.first() {
        _ if !failed.is_empty() => Ruling::WorktreeFailed(failed),
        Some((one, path)) => Ruling::Worktree(Attributed::by(&one.place, (*path).clone())),
        None => Ruling::None,
    }
}

fn made(one: &HandlerReply) -> Option<&PathBuf> {
    match &one.reply.decision {
        Some(Decision::Worktree(path)) => Some(path),
        Some(
            Decision::Permission { .. }
            | Decision::Block { .. }
            | Decision::PermissionRequest(_)
            | Decision::Elicitation { .. },
        )
        | None => None,
    }
}
