//! The cause of a decision, and of the difference to that of another configuration.

use super::side::Side;
use super::word;
use crate::check;
use crate::handler_key::HandlerKey;
use crate::handler_name;
use becket_engine::handler::Handler;
use becket_engine::{Outcome, Run};
use becket_model::{Decision, Reply, RequestDecision};
use std::collections::BTreeSet;

/// Returns the reason that a handler gives.
pub(super) fn reason_of(reply: &Reply) -> Option<String> {
    let text = match &reply.decision {
        Some(Decision::Permission { reason, .. }) => reason.clone(),
        Some(Decision::Block { reason, .. }) => Some(reason.clone()),
        Some(Decision::PermissionRequest(RequestDecision::Deny { message, .. })) => message.clone(),
        Some(
            Decision::PermissionRequest(RequestDecision::Allow { .. })
            | Decision::Elicitation { .. }
            | Decision::Worktree(_),
        )
        | None => reply.stop.as_ref().and_then(|stop| stop.reason.clone()),
    };
    text.filter(|text| !text.is_empty())
}

/// A difference between two outcomes of one event.
pub(super) struct Explanation {
    /// The handler or rule that made the decisive decision.
    pub(super) by: String,
    /// The description of the difference.
    pub(super) cause: String,
    /// The handlers that decide differently, of the present configuration and of the new one.
    pub(super) present: BTreeSet<HandlerKey>,
    pub(super) new: BTreeSet<HandlerKey>,
}

/// Explains why two configurations decide differently.
pub(super) fn explain(present: (&Side, &Outcome), new: (&Side, &Outcome)) -> Explanation {
    let (before, after) = (acting(present.1), acting(new.1));
    let by = match (before.first(), after.first()) {
        (Some(run), _) | (None, Some(run)) => name(&run.handler),
        (None, None) => {
            rule(present.1).or_else(|| rule(new.1)).unwrap_or_else(|| "permission rules".to_owned())
        }
    };
    let mut causes = Vec::new();
    for run in &before {
        if !after.iter().any(|other| is_same(&run.handler, &other.handler)) {
            causes.push(missing(run, new, "new"));
        }
    }
    for run in &after {
        if !before.iter().any(|other| is_same(&run.handler, &other.handler)) {
            causes.push(missing(run, present, "present"));
        }
    }
    if causes.is_empty() {
        let of = |outcome: &Outcome| rule(outcome).unwrap_or_else(|| "no rule".to_owned());
        causes.push(format!("{} decides, instead of {}", of(new.1), of(present.1)));
    }
    let keys = |runs: &[&Run]| runs.iter().map(|run| HandlerKey::of(&run.handler)).collect();
    Explanation { by, cause: causes.join("; "), present: keys(&before), new: keys(&after) }
}

/// Returns why the other configuration lacks the decision of a run.
fn missing(run: &Run, other: (&Side, &Outcome), which: &str) -> String {
    let own = name(&run.handler);
    let (side, outcome) = other;
    if let Some(ran) = outcome.runs.iter().find(|ran| is_same(&ran.handler, &run.handler)) {
        return format!("`{own}` answers {} under the {which} settings", word::of_run(ran));
    }
    if let Some(skipped) = outcome.plan.skipped().find(|skipped| is_same(&skipped.handler, &run.handler)) {
        return format!("`{own}` does not run under the {which} settings: {skipped}");
    }
    let hooks = side.copy.engine.host().hooks();
    let rejected = hooks.rejected().len();
    let hint =
        if rejected > 0 { format!(", of which {rejected} hooks can't be loaded") } else { String::new() };
    format!("`{own}` is not in the {which} settings{hint}")
}

/// Returns the runs that decide like the whole outcome.
fn acting(outcome: &Outcome) -> Vec<&Run> {
    let decided = word::one_word(check::decided(outcome));
    let runs = outcome.runs.iter().map(|run| &**run);
    let mut acting: Vec<&Run> =
        runs.filter(|run| decided != "pass" && word::of_run(run) == decided).collect();
    // A second look is the same handler again.
    acting.dedup_by_key(|run| HandlerKey::of(&run.handler));
    acting
}

/// Describes the rule that has decided; `None` if hooks did, or nothing.
pub(super) fn rule(outcome: &Outcome) -> Option<String> {
    let decided = check::decided(outcome);
    if decided == "pass" || !acting(outcome).is_empty() {
        return None;
    }
    // The rest of the reason is about this one call.
    let reason = outcome.reason()?;
    let rule = reason.strip_prefix("the rule `").and_then(|rest| rest.split('`').next());
    Some(rule.map_or_else(|| "permission mode".to_owned(), |rule| format!("rule {rule}")))
}

/// Returns whether the handlers of two configurations are the same.
fn is_same(one: &Handler, other: &Handler) -> bool {
    one.event == other.event && one.place.label == other.place.label
}

/// Returns the name of a handler in reports.
pub(super) fn name(handler: &Handler) -> String {
    handler_name::short(handler)
}
