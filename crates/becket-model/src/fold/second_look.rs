//! The handlers that ran once more, on a rewritten input: they can only make the verdict stricter (D9).

use super::{Entry, FoldOptions, fold, holds_back_call};
use crate::failure::Failure;
use crate::reply::{Decision, ElicitationAction, Fields, PermissionDecision, Reply, RequestDecision};
use crate::table::EventSpec;
use crate::verdict::{Attributed, Reason, Ruling, Verdict};

/// Merges into `verdict` the replies of handlers to the input that it rewrote.
///
/// Only denials, asks, stops, restrictions of rights and failures count, failures as [`crate::OnFailure`] defines. A
/// `defer` counts as an ask. Contexts, messages, rewrites and allows of the second run are dropped. A stop holds the
/// call back as a denial does, so it counts as one would; the reason from the first run goes first.
pub fn second_look(
    spec: &'static EventSpec,
    options: FoldOptions,
    mut verdict: Verdict,
    entries: impl IntoIterator<Item = Entry>,
) -> Verdict {
    // As in an interactive session: a second look can't defer a call, and must not let it pass.
    let asking = FoldOptions { interactive: true, ..options };
    let entries: Vec<Entry> = entries.into_iter().map(restricting).collect();
    // Hooks of a prompt, which a person's answer cancels (D8).
    let voids = entries
        .iter()
        .any(|entry| entry.failure == Some(Failure::Cancelled) && entry.place.on_failure.closes(spec));
    let second = fold(spec, asking, entries);
    verdict.failures.extend(second.failures);
    // An observed handler that says the same about both inputs is noted once (G5).
    let noted = verdict.observed.clone();
    verdict.observed.extend(second.observed.into_iter().filter(|answer| !noted.contains(answer)));
    let known = verdict.warnings.clone();
    verdict.warnings.extend(second.warnings.into_iter().filter(|warning| !known.contains(warning)));
    if voids && matches!(verdict.ruling, Ruling::RequestAllow { .. }) {
        verdict.ruling = Ruling::None;
    }
    verdict.ruling = stricter(verdict.ruling, second.ruling);
    verdict.stop = verdict.stop.or(second.stop);
    let sandbox = verdict.fields.sandbox.clone();
    let more = second.fields.sandbox.into_iter().filter(|answer| !sandbox.contains(answer));
    verdict.fields.sandbox.extend(more);
    if holds_back_call(&verdict.ruling) {
        verdict.fields.updated_input = None;
        verdict.fields.proposed_input = None;
    }
    if super::drops_context(spec, options, &verdict.ruling) {
        verdict.context.clear();
    }
    verdict
}

/// Returns the entry reduced to what restricts.
fn restricting(entry: Entry) -> Entry {
    let decision = entry.reply.decision.filter(|decision| match decision {
        Decision::Permission { decision, .. } => *decision > PermissionDecision::Allow,
        Decision::Block { .. } => true,
        Decision::PermissionRequest(answer) => matches!(answer, RequestDecision::Deny { .. }),
        Decision::Elicitation { action, .. } => *action == ElicitationAction::Decline,
        Decision::Worktree(_) => false,
    });
    let stop = entry.reply.stop;
    let sandbox = Fields::from(entry.reply.fields).sandbox;
    let fields = Fields { sandbox, ..Fields::default() }.into();
    Entry { reply: Reply { decision, stop, fields, ..Reply::default() }, ..entry }
}

/// Adds reasons to those of the first run. A handler with the same reason for both inputs is listed once.
fn add(reasons: &mut Vec<Attributed<Reason>>, more: Vec<Attributed<Reason>>) {
    for reason in more {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
}

/// Returns the stricter of two rulings on one event; if they are alike the first, with the reasons of both.
fn stricter(first: Ruling, second: Ruling) -> Ruling {
    match (first, second) {
        (Ruling::Block(mut reasons), Ruling::Block(more)) => {
            add(&mut reasons, more);
            Ruling::Block(reasons)
        }
        (
            Ruling::RequestDeny { mut reasons, interrupt },
            Ruling::RequestDeny { reasons: more, interrupt: also },
        ) => {
            add(&mut reasons, more);
            Ruling::RequestDeny { reasons, interrupt: interrupt || also }
        }
        (
            Ruling::Permission { decision, mut reasons },
            Ruling::Permission { decision: other, reasons: more },
        ) if decision == other => {
            add(&mut reasons, more);
            Ruling::Permission { decision, reasons }
        }
        (first, Ruling::None) => first,
        (first, second) if second.strictness() > first.strictness() => second,
        (first, _) => first,
    }
}
