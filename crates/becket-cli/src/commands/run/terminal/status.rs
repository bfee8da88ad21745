//! The current work, for the status line: hooks with their status messages (H13), calls of tools, the model.

use crate::report::style::{FAINT, HEAD, NONE, SOURCE, one_line, styled};
use becket_agent::update::{Update, UpdateKind};
use becket_engine::handler::Handler;
use becket_engine::{RunEvent, RunEventKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time until work is named: most hooks are short, and a flickering line is useless.
const NAMED_AFTER: Duration = Duration::from_millis(250);
/// The frames of the animation.
const PICTURES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const PICTURE: Duration = Duration::from_millis(100);
/// The maximum widths of a label and of a message, in characters.
const LABEL: usize = 40;
const WORDS: usize = 60;

/// The current work.
#[derive(Debug, Default)]
pub(in crate::commands::run) struct Status {
    hooks: Vec<RunningHook>,
    /// The running calls, by their ids.
    calls: Vec<(String, String)>,
}

#[derive(Debug)]
struct RunningHook {
    firing: u64,
    handler: Arc<Handler>,
    since: Instant,
}

impl Status {
    /// Updates the work from an event of a hook.
    pub(super) fn hook(&mut self, event: &RunEvent) {
        match &event.what {
            RunEventKind::Started { handler } => {
                let (firing, handler) = (event.firing, handler.clone());
                self.hooks.push(RunningHook { firing, handler, since: Instant::now() });
            }
            RunEventKind::Finished { run } | RunEventKind::BackgroundFinished { run, .. } => {
                self.gone(event.firing, &run.handler);
            }
            // A host that continues without the hook does not wait for it.
            RunEventKind::Backgrounded { handler, .. } => self.gone(event.firing, handler),
            RunEventKind::Fired { .. }
            | RunEventKind::Skipped(_)
            | RunEventKind::Output { .. }
            | RunEventKind::Decided { .. } => {}
        }
    }

    fn gone(&mut self, firing: u64, handler: &Arc<Handler>) {
        self.hooks.retain(|one| one.firing != firing || !Arc::ptr_eq(&one.handler, handler));
    }

    /// Updates the work from an event of the conversation.
    pub(super) fn update(&mut self, update: &Update) {
        match &update.what {
            UpdateKind::CallStarted { tool_use_id, tool } => {
                self.calls.push((tool_use_id.clone(), tool.clone()));
            }
            UpdateKind::CallEnded { tool_use_id, .. } => self.calls.retain(|(id, _)| id != tool_use_id),
            UpdateKind::Text { .. }
            | UpdateKind::Piece(_)
            | UpdateKind::Cleared { .. }
            | UpdateKind::Displayed { .. }
            | UpdateKind::Answered { .. }
            | UpdateKind::UserMessage { .. }
            | UpdateKind::Notice(_)
            | UpdateKind::StopHooks(_)
            | UpdateKind::Retrying { .. }
            | UpdateKind::RateLimit(_)
            | UpdateKind::Compacted { .. }
            | UpdateKind::ElicitationComplete { .. }
            | UpdateKind::Titled { .. }
            | UpdateKind::Moved { .. }
            | UpdateKind::Task { .. }
            | UpdateKind::AccessRefused { .. }
            | UpdateKind::ProgramDenied { .. } => {}
        }
    }

    /// Returns the styled line; `since` is the start of the work, `doing` describes work without a name.
    pub(super) fn line(&self, since: Instant, doing: &str, ends: &str) -> String {
        let elapsed = since.elapsed();
        let at = elapsed.as_millis() / PICTURE.as_millis();
        let picture = usize::try_from(at).ok().and_then(|at| PICTURES.get(at % PICTURES.len()));
        let picture = picture.copied().unwrap_or(PICTURES[0]);
        let ends = styled(FAINT, ends);
        format!("{SOURCE}{picture}{SOURCE:#} {}  {:>3}s  {ends}", self.what(doing), elapsed.as_secs())
    }

    fn what(&self, doing: &str) -> String {
        let named = |one: &&RunningHook| one.since.elapsed() >= NAMED_AFTER;
        if let Some(hook) = self.hooks.iter().rev().find(named) {
            let handler = &hook.handler;
            let source = styled(SOURCE, &handler.place.source.to_string());
            return match &handler.status_message {
                Some(message) => format!("{} ({source})", styled(HEAD, &one_line(message, WORDS))),
                None => format!("hook {} ({source})", styled(NONE, &one_line(&handler.place.label, LABEL))),
            };
        }
        match self.calls.as_slice() {
            [] if !self.hooks.is_empty() => "hooks".to_owned(),
            [] => doing.to_owned(),
            [(_, tool)] => styled(NONE, &one_line(tool, LABEL)),
            [(_, tool), rest @ ..] => {
                format!("{} and {} more", styled(NONE, &one_line(tool, LABEL)), rest.len())
            }
        }
    }
}
