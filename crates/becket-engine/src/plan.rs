//! The handlers that would run for an event, and the reason for each that would not.
//!
//! Planning is pure: configuration and event in, plan out. It starts no process, reads no file and keeps no state apart
//! from the cache of matched values.

pub(crate) mod candidates;
mod dedupe;
pub(crate) mod facts;
pub(crate) mod gates;
pub(crate) mod hook_agent;
pub(crate) mod registrations;
pub(crate) mod session_end;
pub(crate) mod skip;
pub(crate) mod snapshot;
pub(crate) mod tool_input;
pub(crate) mod variables;

use crate::config::handler::{Action, Handler, If};
use crate::config::hookset::{HookSet, RejectedHandler};
use crate::config::placeholders::Places;
use crate::plan::candidates::{Candidates, Part};
use crate::plan::facts::Facts;
use crate::plan::skip::{SkipReason, SkippedHandler};
use becket_model::{Event, EventKind};
use becket_rules::Applies;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The handlers that an event runs, and those that it does not run.
///
/// Cheap if nothing depends on the event itself: the handlers selected by a matched value are shared, not copied.
#[derive(Debug, Clone)]
pub struct Plan {
    event: EventKind,
    runs: Option<Arc<[PlannedRun]>>,
    selected: Vec<(Arc<HookSet>, Arc<Candidates>)>,
    dropped_by_event: Vec<SkippedHandler>,
}

/// A handler that runs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PlannedRun {
    /// The handler, merged with its duplicates (H1).
    pub handler: Arc<Handler>,
    /// The result of its `if`, as a message; `None` if it has no `if`.
    pub note: Option<String>,
    /// The reason why it can only fail, if that is known already (H5).
    pub fails: Option<&'static str>,
}

impl Plan {
    pub(crate) fn empty(event: EventKind) -> Self {
        Plan { event, runs: None, selected: Vec::new(), dropped_by_event: Vec::new() }
    }

    /// Returns the event.
    pub fn event(&self) -> EventKind {
        self.event
    }

    /// Returns the handlers that run, in C6 order; all of them at the same time.
    pub fn runs(&self) -> &[PlannedRun] {
        self.runs.as_deref().unwrap_or_default()
    }

    /// Returns whether only internal callbacks of the host run, whose progress is not reported (H13).
    pub(crate) fn is_internal(&self) -> bool {
        let runs = self.runs();
        !runs.is_empty() && runs.iter().all(|run| run.handler.action.is_internal())
    }

    /// Returns the handlers that are configured for the event and do not run, each with the stage and the reason.
    pub fn skipped(&self) -> impl Iterator<Item = SkippedHandler> {
        let by_value = self.selected.iter().flat_map(|(hooks, found)| found.skipped(hooks, self.event));
        by_value.chain(self.dropped_by_event.iter().cloned())
    }

    /// Returns the handlers that are configured for the event and could not be loaded (C7); they do not run either.
    pub fn rejected(&self) -> impl Iterator<Item = &RejectedHandler> {
        self.selected
            .iter()
            .flat_map(|(hooks, _)| hooks.rejected())
            .filter(|rejected| rejected.event == Some(self.event))
    }
}

/// Plans an event over the snapshot's handlers and those registered since.
pub(crate) fn plan<'a>(
    parts: impl Iterator<Item = &'a Part>,
    places: &Places,
    event: &Event,
    facts: &Facts<'_>,
) -> Plan {
    let kind = event.kind();
    let mut plan = Plan::empty(kind);
    let mut gathered: Vec<PlannedRun> = Vec::new();
    let mut shared: Option<Arc<[PlannedRun]>> = None;
    for part in parts {
        let found = part.candidates(kind, event.body.subject(), &event.other_names);
        plan.selected.push((part.hooks().clone(), found.clone()));
        if found.runs.is_empty() {
            continue;
        }
        if found.settled && shared.is_none() && gathered.is_empty() && !facts.is_about_a_program() {
            shared = Some(found.runs.clone());
            continue;
        }
        gathered.extend(shared.take().iter().flat_map(|runs| runs.iter().cloned()));
        for run in found.runs.iter() {
            match decide(run, facts) {
                Ok(run) => gathered.push(run),
                Err(why) => plan.dropped_by_event.push(SkippedHandler { handler: run.handler.clone(), why }),
            }
        }
    }
    plan.runs =
        shared.or_else(|| Some(dedupe::merge_runs(gathered, places, &mut plan.dropped_by_event).into()));
    plan
}

/// Decides on a handler whose matcher matched, by the event itself.
fn decide(run: &PlannedRun, facts: &Facts<'_>) -> Result<PlannedRun, SkipReason> {
    let handler = &run.handler;
    if let Some(scope) = &handler.agent_scope
        && facts.agent_id() != Some(scope.as_str())
    {
        return Err(SkipReason::OtherAgent);
    }
    if matches!(handler.action, Action::Agent(_)) && facts.agent_id().is_some_and(hook_agent::is_hook_agent) {
        return Err(SkipReason::InsideHookAgent);
    }
    if handler.once.as_ref().is_some_and(|once| once.0.load(Ordering::Acquire)) {
        return Err(SkipReason::OnceDone);
    }
    let condition = match &handler.condition {
        If::Rule(condition) => condition,
        // The handler has seen the whole call (E4).
        If::Absent if facts.is_about_a_program() => return Err(SkipReason::NoCondition),
        If::Absent | If::NeverRuns(_) => return Ok(run.clone()),
    };
    let note = match facts.judge(condition, &handler.anchor) {
        Applies::NoMatch { why } => return Err(SkipReason::If { reason: why }),
        Applies::Match { why } => why,
        // Unknown never counts as no (P6).
        Applies::Unknown { why } => format!("runs to be safe: {why}"),
    };
    Ok(PlannedRun { note: Some(note), ..run.clone() })
}
