//! The hooks of each event, reported once they have decided.

use super::super::hook_rows::{rows, verdict as came_to};
use super::super::naming::hook_name;
use super::super::summary::PromptCounters;
use becket_engine::{Run, RunEvent, RunEventKind};
use becket_model::event::EventBody;
use becket_model::{Event, EventKind, Ruling, Verdict};
use std::collections::HashMap;
use std::sync::Arc;

/// The events whose hooks are running.
#[derive(Debug, Default)]
pub(super) struct Firings(HashMap<u64, OpenFiring>);

#[derive(Debug)]
struct OpenFiring {
    event: EventKind,
    name: String,
    call: Option<String>,
    runs: Vec<Arc<Run>>,
}

/// An event on which the hooks have decided.
pub(super) struct FiringSummary {
    /// The call that the event is about.
    pub(super) call: Option<String>,
    /// The title of the event.
    pub(super) head: String,
    /// True if the event makes the agent continue.
    pub(super) sends_back: bool,
    /// True if the agent stops unless a hook objects.
    pub(super) ends: bool,
    runs: Vec<Arc<Run>>,
    verdict: Arc<Verdict>,
}

impl FiringSummary {
    /// Returns true if it contains the reason why its call was stopped.
    pub(super) fn says_why(&self) -> bool {
        self.verdict.joined_reason().is_some()
    }

    /// Returns the rows of the hooks; `all` includes the silent ones.
    pub(super) fn body(&self, all: bool, width: Option<usize>) -> String {
        format!("{}{}", rows(&self.runs, all, 2, width), came_to(&self.verdict, all, 6))
    }
}

impl Firings {
    /// Records an event of a hook; returns the decided event at its end.
    pub(super) fn decided(&mut self, event: &RunEvent, counts: &mut PromptCounters) -> Option<FiringSummary> {
        match &event.what {
            RunEventKind::Fired { event: fired } => {
                self.0.insert(event.firing, OpenFiring::new(fired));
            }
            RunEventKind::Finished { run } => {
                counts.hook(run);
                if let Some(firing) = self.0.get_mut(&event.firing) {
                    firing.runs.push(run.clone());
                }
            }
            RunEventKind::Decided { verdict, .. } => {
                let OpenFiring { event, name: head, call, runs } = self.0.remove(&event.firing)?;
                let sends_back = sends_back(event, verdict);
                let ends = is_end(event);
                return Some(FiringSummary { call, head, sends_back, ends, runs, verdict: verdict.clone() });
            }
            RunEventKind::BackgroundFinished { run, .. } => counts.hook(run),
            RunEventKind::Skipped(_)
            | RunEventKind::Started { .. }
            | RunEventKind::Output { .. }
            | RunEventKind::Backgrounded { .. } => {}
        }
        None
    }
}

impl OpenFiring {
    fn new(event: &Event) -> Self {
        OpenFiring { event: event.kind(), name: hook_name(event), call: call(event), runs: Vec::new() }
    }
}

fn call(event: &Event) -> Option<String> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these know their call")]
    match &event.body {
        EventBody::PreToolUse(of) => Some(of.tool_use_id.clone()),
        EventBody::PostToolUse(of) => Some(of.tool_use_id.clone()),
        EventBody::PostToolUseFailure(of) => Some(of.tool_use_id.clone()),
        EventBody::PermissionDenied(of) => Some(of.tool_use_id.clone()),
        _ => None,
    }
}

fn is_end(event: EventKind) -> bool {
    matches!(event, EventKind::Stop | EventKind::SubagentStop)
}

fn sends_back(event: EventKind, verdict: &Verdict) -> bool {
    is_end(event)
        && verdict.stop.is_none()
        && (matches!(verdict.ruling, Ruling::Block(_)) || !verdict.context.is_empty())
}
