//! The lines of hooks: start, output, end.

use super::super::naming::{Ids, hook_name};
use super::super::system_line::{HookProgress, HookResponse, HookStarted};
use becket_engine::handler::Handler;
use becket_engine::{OutputStream, Run, RunEvent, RunEventKind, Status};
use becket_model::{Event, EventKind};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// The hooks of unfinished events that have started and not ended.
#[derive(Debug, Default)]
pub(super) struct Hooks {
    firings: HashMap<u64, OpenFiring>,
    running: Vec<RunningHook>,
}

#[derive(Debug)]
struct OpenFiring {
    hook_name: String,
    hook_event: &'static str,
    /// The number of hooks of the event that continue in the background.
    left: usize,
    is_decided: bool,
}

#[derive(Debug)]
struct RunningHook {
    firing: u64,
    handler: Arc<Handler>,
    id: String,
}

/// The content of a line.
pub(super) enum HookLine {
    Started(HookStarted),
    Progress(HookProgress),
    Response(HookResponse),
}

impl HookLine {
    /// Formats the line with `write`.
    pub(super) fn written(self, write: impl Fn(&'static str, Value) -> String) -> String {
        let of = |subtype, what: Result<Value, serde_json::Error>| {
            what.map(|what| write(subtype, what)).unwrap_or_default()
        };
        match &self {
            HookLine::Started(what) => of("hook_started", serde_json::to_value(what)),
            HookLine::Progress(what) => of("hook_progress", serde_json::to_value(what)),
            HookLine::Response(what) => of("hook_response", serde_json::to_value(what)),
        }
    }
}

impl Hooks {
    /// Returns the line for an event, if any.
    pub(super) fn line(&mut self, event: &RunEvent, ids: Ids) -> Option<HookLine> {
        let firing = event.firing;
        match &event.what {
            RunEventKind::Fired { event } => {
                self.fired(firing, event);
                None
            }
            RunEventKind::Started { handler } => self.started(firing, handler, ids).map(HookLine::Started),
            RunEventKind::Output { handler, stream, bytes } => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                let (stdout, stderr) = match stream {
                    OutputStream::Stdout => (text.clone(), String::new()),
                    OutputStream::Stderr => (String::new(), text.clone()),
                };
                let hook = self.hook(firing, handler)?;
                Some(HookLine::Progress(HookProgress { hook, stdout, stderr, output: text }))
            }
            RunEventKind::Finished { run } => self.ended(firing, run),
            RunEventKind::BackgroundFinished { run, .. } => {
                let line = self.ended(firing, run);
                self.changed(firing, |one| one.left = one.left.saturating_sub(1));
                line
            }
            RunEventKind::Backgrounded { .. } => {
                self.changed(firing, |one| one.left += 1);
                None
            }
            RunEventKind::Decided { .. } => {
                self.changed(firing, |one| one.is_decided = true);
                None
            }
            RunEventKind::Skipped(_) => None,
        }
    }

    /// Changes a firing. A finished firing is removed: a session may have any number of them.
    fn changed(&mut self, firing: u64, change: impl FnOnce(&mut OpenFiring)) {
        let Some(one) = self.firings.get_mut(&firing) else { return };
        change(one);
        if one.is_decided && one.left == 0 {
            self.firings.remove(&firing);
            self.running.retain(|running| running.firing != firing);
        }
    }

    fn ended(&mut self, firing: u64, run: &Run) -> Option<HookLine> {
        let hook = self.hook(firing, &run.handler)?;
        let at = self.running.iter().position(|one| one.is(firing, &run.handler))?;
        self.running.remove(at);
        Some(HookLine::Response(response(hook, run)))
    }

    /// Adds a firing. Hooks at the end of a session are not reported: the reader may be gone.
    fn fired(&mut self, firing: u64, event: &Event) {
        if event.kind() != EventKind::SessionEnd {
            let (hook_name, hook_event) = (hook_name(event), event.kind().name());
            self.firings.insert(firing, OpenFiring { hook_name, hook_event, left: 0, is_decided: false });
        }
    }

    fn started(&mut self, firing: u64, handler: &Arc<Handler>, ids: Ids) -> Option<HookStarted> {
        self.firings.get(&firing)?;
        self.running.push(RunningHook { firing, handler: handler.clone(), id: ids.next() });
        self.hook(firing, handler)
    }

    fn hook(&self, firing: u64, handler: &Arc<Handler>) -> Option<HookStarted> {
        let OpenFiring { hook_name, hook_event, .. } = self.firings.get(&firing)?;
        let hook_id = self.running.iter().find(|one| one.is(firing, handler))?.id.clone();
        Some(HookStarted { hook_id, hook_name: hook_name.clone(), hook_event })
    }
}

impl RunningHook {
    fn is(&self, firing: u64, handler: &Arc<Handler>) -> bool {
        self.firing == firing && Arc::ptr_eq(&self.handler, handler)
    }
}

fn response(hook: HookStarted, run: &Run) -> HookResponse {
    let stdout = String::from_utf8_lossy(&run.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
    let output = format!("{stdout}{stderr}");
    HookResponse { hook, output, stdout, stderr, exit_code: run.exit, outcome: outcome(run) }
}

/// Returns the outcome. A denial in JSON is a success; a nonzero exit code is reported as an error, as scripts expect.
fn outcome(run: &Run) -> &'static str {
    match run.status {
        Status::Success => "success",
        Status::Blocked if run.exit.is_none_or(|code| code == 0) => "success",
        Status::Blocked | Status::Error => "error",
        Status::Cancelled => "cancelled",
    }
}
