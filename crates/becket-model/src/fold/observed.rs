//! Handlers in observation (G5): their answers are removed before the others are weighed, and recorded as the effect
//! that they would have had. What is unclear is enforced.

use super::{Entry, FoldOptions, Tally};
use crate::failure::Failure;
use crate::reply::{Decision, PermissionDecision, RequestDecision};
use crate::source::{Enforcement, HandlerOrigin};
use crate::table::{DecisionModel, EventSpec};
use crate::verdict::{Attributed, ObservedAnswer, ObservedEffect, Ruling, Verdict, VerdictFields};

/// Returns whether an answer is only observed (G5). Never observed: a handler that makes a worktree, since its answer
/// is its action, and one that was prevented from running or answering.
pub fn is_observed(spec: &EventSpec, place: &HandlerOrigin, failure: Option<&Failure>) -> bool {
    let was_kept = match failure {
        Some(Failure::Cancelled | Failure::NotContained { .. } | Failure::Nested { .. }) => true,
        Some(_) | None => false,
    };
    place.enforcement != Enforcement::Enforce && spec.decision != DecisionModel::Path && !was_kept
}

/// Returns the effect that an entry would have had alone, if it had counted; `None` if it is silent.
pub fn observe(spec: &'static EventSpec, options: FoldOptions, entry: &Entry) -> Option<ObservedAnswer> {
    let enforcement = entry.place.enforcement;
    let place = HandlerOrigin { enforcement: Enforcement::Enforce, ..entry.place.clone() };
    let mut alone = Tally::new(spec, options);
    alone.add(Entry { place, ..entry.clone() });
    let alone = alone.finish();
    let effect = effect(&alone)?;
    Some(ObservedAnswer { enforcement, effect, reason: reason(spec, entry, &alone) })
}

/// Removes the observed answers from `entries`, which are in C6 order. The user is warned about those in mode `warn`.
pub(super) fn take_out(
    spec: &'static EventSpec,
    options: FoldOptions,
    entries: Vec<Entry>,
    warnings: &mut Vec<String>,
) -> (Vec<Entry>, Vec<Attributed<ObservedAnswer>>) {
    let (observed, counted): (Vec<Entry>, Vec<Entry>) =
        entries.into_iter().partition(|entry| is_observed(spec, &entry.place, entry.failure.as_ref()));
    let answers: Vec<Attributed<ObservedAnswer>> = observed
        .iter()
        .filter_map(|entry| Some(Attributed::by(&entry.place, observe(spec, options, entry)?)))
        .collect();
    let warned = answers.iter().filter(|answer| answer.what.enforcement == Enforcement::Warn);
    warnings.extend(warned.map(ToString::to_string));
    (counted, answers)
}

fn effect(alone: &Verdict) -> Option<ObservedEffect> {
    let of_ruling = match &alone.ruling {
        Ruling::Permission { decision, .. } => match decision {
            PermissionDecision::Deny => Some(ObservedEffect::Deny),
            PermissionDecision::Defer => Some(ObservedEffect::Defer),
            PermissionDecision::Ask => Some(ObservedEffect::Ask),
            PermissionDecision::Allow => Some(ObservedEffect::Allow),
        },
        Ruling::Block(_) | Ruling::WorktreeFailed(_) => Some(ObservedEffect::Block),
        Ruling::RequestDeny { .. } => Some(ObservedEffect::Deny),
        Ruling::RequestAllow { .. } => Some(ObservedEffect::Allow),
        Ruling::Elicitation { .. } => Some(ObservedEffect::Answer),
        Ruling::Worktree(_) | Ruling::None => None,
    };
    let held = matches!(of_ruling, Some(ObservedEffect::Deny | ObservedEffect::Block));
    let stop = alone.stop.as_ref().map(|_| ObservedEffect::Stop);
    let restrict = (!alone.fields.sandbox.is_empty()).then_some(ObservedEffect::Restrict);
    let rewrite = (alone.fields != VerdictFields::default()).then_some(ObservedEffect::Rewrite);
    let failure = alone.failures.first().map(|_| ObservedEffect::Fail);
    let says = !alone.context.is_empty() || !alone.messages.is_empty() || !alone.notices.is_empty();
    let answer = says.then_some(ObservedEffect::Answer);
    let strictest = if held { of_ruling } else { stop.or(of_ruling) };
    strictest.or(failure).or(restrict).or(rewrite).or(answer)
}

fn reason(spec: &EventSpec, entry: &Entry, alone: &Verdict) -> Option<String> {
    let stop = || alone.stop.as_ref().and_then(|stop| stop.what.reason.clone());
    let failure = || alone.failures.first().map(|failure| failure.what.to_string());
    // The handler's own reason, without the label that a verdict puts before it.
    own_reason(entry)
        .or_else(|| failure().filter(|_| entry.place.on_failure.closes(spec)))
        .or_else(stop)
        .or_else(failure)
}

fn own_reason(entry: &Entry) -> Option<String> {
    match entry.reply.decision.as_ref()? {
        Decision::Permission { reason, .. } => reason.clone(),
        Decision::Block { reason, .. } => Some(reason.clone()),
        Decision::PermissionRequest(RequestDecision::Deny { message, .. }) => message.clone(),
        Decision::PermissionRequest(_) | Decision::Elicitation { .. } | Decision::Worktree(_) => None,
    }
}
