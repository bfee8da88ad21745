//! One session: its hooks and rules, and the known facts about it.

use super::decision::CallDecision;
use super::grants::Grants;
use super::turn::{Turn, Turns};
use crate::args::{Global, ModelArgs};
use crate::commands::fire::report_errors;
use crate::enclosing;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::hook_gate::{CallResolution, HookGate};
use crate::out::Out;
use crate::report::style::{WARNING, one_line, styled};
use crate::services::{HookServices, ServiceOptions};
use crate::session;
use becket_dialects::acp::{AcpCall, ToolCall};
use becket_dialects::{Action, Resolution};
use becket_engine::CancellationToken;
use becket_model::event::PermissionMode;
use becket_model::event::lifecycle::{SessionEnd, SessionStart, Stop, UserPromptSubmit};
use becket_model::event::permission::PermissionRequest;
use becket_model::event::tool::{PostToolUse, PostToolUseFailure, PreToolUse};
use becket_model::{Event, EventBody, EventKind, Session};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time limit for SessionEnd hooks: the editor is gone.
const END: Duration = Duration::from_secs(5);
/// The size limit of a file whose change is compared with what the user has allowed, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// The length limit of a notice on stderr, in characters.
const NOTICE: usize = 500;

/// Everything that is needed to open a session.
pub(super) struct SessionOpener {
    pub(super) models: ModelArgs,
    pub(super) trusts_project: bool,
    pub(super) global: Global,
    pub(super) around: Surroundings,
    pub(super) out: Out,
    pub(super) private: PathBuf,
}

/// An open session.
pub(super) struct AcpSession {
    pub(super) id: String,
    cwd: String,
    gate: HookGate,
    facts: Session,
    out: Out,
    known: Mutex<Known>,
    pub(super) turns: Turns,
    /// Locked while hooks after a call run: they run one after another, and before those of the end of the turn.
    after_calls: tokio::sync::Mutex<()>,
}

/// The facts known about a session so far.
#[derive(Default)]
struct Known {
    calls: HashMap<String, ToolCall>,
    /// Texts for the model, to be sent with the next prompt.
    carried: Vec<String>,
    /// Calls that the user has allowed: a request of the agent for the same thing needs no second approval.
    grants: Grants,
    /// Calls that were not allowed.
    rejected: HashSet<String>,
    /// The text of the model since the prompt or the last call.
    message: String,
}

/// The decision about a prompt.
pub(super) enum PromptDecision {
    Refuse {
        reason: String,
    },
    Cancelled,
    /// The prompt is sent, with this context.
    Send {
        context: Option<String>,
    },
}

impl SessionOpener {
    /// Opens a session in a directory.
    ///
    /// # Errors
    /// Errors if the directory can't be entered, or the configuration forbids the start.
    pub(super) fn open(&self, id: &str, cwd: &str) -> Result<AcpSession, CliError> {
        let directory = Path::new(cwd);
        let mut launch = session::as_hook(directory, &[], &self.global, &self.around, &self.out)?;
        launch.environment = launch.environment.with_enclosing(enclosing::marks());
        launch.folder_trusted = becket_engine::config::trust::is_recorded(&launch.request());
        let services = HookServices::silent(&ServiceOptions::of(&self.models), &launch, &self.around)?;
        let gate = HookGate::open(launch, self.trusts_project, &services, |builder| {
            builder.session_dir(&self.private)
        })?;
        report_errors(gate.engine(), &self.around, &self.out);
        let default = gate.engine().config().default_mode.as_ref().map(|default| default.mode.clone());
        let facts = Session::new(id, self.private.join("transcript.jsonl"), directory)
            .with_permission_mode(default.unwrap_or(PermissionMode::Default));
        let session = AcpSession {
            id: id.to_owned(),
            cwd: cwd.to_owned(),
            gate,
            facts,
            out: self.out,
            known: Mutex::default(),
            turns: Turns::default(),
            after_calls: tokio::sync::Mutex::default(),
        };
        let held_back: usize = EventKind::ALL.iter().map(|kind| session.gate.held_back(*kind)).sum();
        if held_back > 0 {
            session.show_notice(&format!(
                "hooks of the project of `{cwd}` that are not run: {held_back}; the user does not trust its folder, and `becket \
                 trust` there changes that"
            ));
        }
        Ok(session)
    }
}

impl AcpSession {
    /// Fires SessionStart; its context goes with the first prompt.
    pub(super) async fn start(&self, source: &str, cancel: &CancellationToken) {
        let resolution = self.resolve(SessionStart::new(source.to_owned()), cancel).await;
        self.carry(resolution.context);
    }

    /// Fires UserPromptSubmit.
    pub(super) async fn prompt(&self, text: &str, turn: &Turn) -> PromptDecision {
        self.known().message.clear();
        self.refresh();
        let resolution = self.resolve(UserPromptSubmit::new(text.to_owned()), turn.token()).await;
        if turn.is_cancelled() {
            return PromptDecision::Cancelled;
        }
        let mut known = self.known();
        let refusal = match (resolution.action, resolution.stop) {
            (Action::Refuse { reason } | Action::Ask { reason }, _) => Some(reason),
            (Action::Proceed | Action::Allow, Some(reason)) => Some(reason),
            (Action::Proceed | Action::Allow, None) => None,
        };
        if let Some(reason) = refusal {
            return PromptDecision::Refuse { reason };
        }
        let all: Vec<String> =
            std::mem::take(&mut known.carried).into_iter().chain(resolution.context).collect();
        PromptDecision::Send { context: (!all.is_empty()).then(|| all.join("\n")) }
    }

    /// Merges the agent's description of a call; returns the whole call.
    pub(super) fn described(&self, call: &Value) -> ToolCall {
        let id = call["toolCallId"].as_str().unwrap_or_default();
        let mut known = self.known();
        let described = known.calls.entry(id.to_owned()).or_default();
        described.update(call);
        described.clone()
    }

    /// Records that a call does not run: what the agent reports about its end is not a result.
    pub(super) fn reject(&self, call: &str) {
        self.known().rejected.insert(call.to_owned());
    }

    /// Returns true if the agent has described the call before.
    pub(super) fn is_known_call(&self, call: &str) -> bool {
        self.known().calls.contains_key(call)
    }

    /// Forgets a call that is over, and what the user has allowed for it; returns true if it has run.
    pub(super) fn forget(&self, call: &str) -> bool {
        let mut known = self.known();
        known.calls.remove(call);
        known.grants.forget(call);
        !known.rejected.remove(call)
    }

    pub(super) fn cwd(&self) -> &str {
        &self.cwd
    }

    /// Fires PreToolUse for the parts of a call.
    pub(super) async fn judge(&self, calls: &[AcpCall], cancel: &CancellationToken) -> CallDecision {
        self.refresh();
        let body = |call: &AcpCall| PreToolUse::new(call.tool.clone(), call.input.clone(), call.id.clone());
        self.decide(calls, |call| body(call).into(), cancel).await
    }

    /// Fires PermissionRequest for the parts of a call.
    pub(super) async fn judge_request(&self, calls: &[AcpCall], cancel: &CancellationToken) -> CallDecision {
        let body = |call: &AcpCall| PermissionRequest::new(call.tool.clone(), call.input.clone());
        self.decide(calls, |call| body(call).into(), cancel).await
    }

    async fn decide(
        &self,
        calls: &[AcpCall],
        body: impl Fn(&AcpCall) -> EventBody,
        cancel: &CancellationToken,
    ) -> CallDecision {
        let mut parts: Vec<CallResolution> = Vec::with_capacity(calls.len());
        for call in calls {
            let part = self.gate.judge(&self.event_in(call.directory.as_deref(), body(call)), cancel).await;
            part.resolution.message.iter().for_each(|message| self.show_notice(message));
            parts.push(part);
        }
        if cancel.is_cancelled() {
            return CallDecision::Reject { reason: "the proxy is being ended".to_owned() };
        }
        let decision = CallDecision::of(&parts);
        if !matches!(decision, CallDecision::Reject { .. }) {
            self.carry_each_once(parts.into_iter().filter_map(|part| part.resolution.context));
        }
        decision
    }

    /// Fires PostToolUse or PostToolUseFailure for a call that has ended. Their texts go with the next prompt.
    pub(super) async fn after(&self, call: ToolCall, cancel: &CancellationToken) {
        let _turn = self.after_calls.lock().await;
        // These hooks decide nothing, so none run for a call that can't be read.
        let Ok(calls) = call.calls(&self.cwd) else {
            return self.show_notice("a call that has ended could not be read, so its hooks did not run");
        };
        let mut texts = Vec::new();
        for part in calls {
            let AcpCall { tool, input, id, directory } = part;
            let body: EventBody = match call.status() {
                Some("failed") => PostToolUseFailure::new(tool, input, id, call.shown_text()).into(),
                Some(_) | None => PostToolUse::new(tool, input, id, call.response()).into(),
            };
            let resolution = self.resolved(&self.event_in(directory.as_deref(), body), cancel).await;
            if let Action::Refuse { reason } = resolution.action {
                texts.push(reason);
            }
            texts.extend(resolution.context);
        }
        self.carry_each_once(texts);
    }

    /// Fires Stop, unless the turn is cancelled; returns the reason why the agent should continue, if any.
    pub(super) async fn stop(&self, has_continued: bool, turn: &Turn) -> Option<String> {
        let cancel = turn.token();
        tokio::select! {
            biased;
            () = cancel.cancelled() => return None,
            are_done = self.after_calls.lock() => drop(are_done),
        }
        let message = std::mem::take(&mut self.known().message);
        let mut stop = Stop::new(has_continued);
        stop.last_assistant_message = Some(message);
        let resolution = self.resolve(stop, cancel).await;
        match (resolution.action, resolution.stop) {
            // A stop wins over a block (L4).
            (Action::Refuse { reason }, None) if !cancel.is_cancelled() => Some(reason),
            (Action::Refuse { .. } | Action::Proceed | Action::Allow | Action::Ask { .. }, _) => {
                self.carry(resolution.context);
                None
            }
        }
    }

    /// Fires SessionEnd, and ends everything that its hooks still run.
    pub(super) async fn end(&self) {
        let over = CancellationToken::new();
        let _ended_when_dropped = over.clone().drop_guard();
        let fired = self.resolve(SessionEnd::new("other".to_owned()), &over);
        drop(tokio::time::timeout(END, fired).await);
        self.gate.close().await;
    }

    /// Adds text for the model, for the next prompt.
    pub(super) fn carry(&self, text: Option<String>) {
        self.known().carried.extend(text);
    }

    /// Adds the texts about one call. Hooks that run for several parts of it often repeat themselves.
    fn carry_each_once(&self, texts: impl IntoIterator<Item = String>) {
        let mut seen = HashSet::new();
        let fresh = texts.into_iter().filter(|text| seen.insert(text.clone()));
        self.known().carried.extend(fresh);
    }

    /// Remembers that the user has allowed calls.
    pub(super) fn grant(&self, calls: &[AcpCall]) {
        self.known().grants.add(calls);
    }

    /// Forgets all that the user has allowed: the turn is over.
    pub(super) fn forget_grants(&self) {
        self.known().grants = Grants::default();
    }

    /// Returns true if the user has allowed the same calls before, and forgets them: an approval counts once.
    pub(super) async fn take_grants(&self, calls: &[AcpCall]) -> bool {
        for call in calls {
            if !self.take_grant(call).await {
                return false;
            }
        }
        true
    }

    async fn take_grant(&self, call: &AcpCall) -> bool {
        let current = match call.input.get("file_path").and_then(Value::as_str) {
            Some(path) if call.input.contains_key("content") => content(Path::new(path)).await,
            Some(_) | None => None,
        };
        self.known().grants.take(call, current.as_deref())
    }

    /// Appends text of the model; `None`, for a call, clears it.
    pub(super) fn says(&self, text: Option<&str>) {
        let mut known = self.known();
        match text {
            Some(text) => known.message.push_str(text),
            None => known.message.clear(),
        }
    }

    pub(super) fn show_notice(&self, notice: &str) {
        self.out.eprint(&format!("{} {}\n", styled(WARNING, "becket acp:"), one_line(notice, NOTICE)));
    }

    fn refresh(&self) {
        self.gate.refresh().iter().for_each(|kept| self.show_notice(kept));
    }

    async fn resolve(&self, body: impl Into<EventBody>, cancel: &CancellationToken) -> Resolution {
        self.resolved(&self.event_in(None, body), cancel).await
    }

    async fn resolved(&self, event: &Event, cancel: &CancellationToken) -> Resolution {
        let resolution = self.gate.resolve(event, cancel).await;
        resolution.message.iter().for_each(|message| self.show_notice(message));
        resolution
    }

    /// Returns an event in another directory than that of the session, as a call may name one.
    fn event_in(&self, directory: Option<&str>, body: impl Into<EventBody>) -> Event {
        let mut facts = self.facts.clone();
        facts.cwd = directory.map_or(facts.cwd, PathBuf::from);
        Event::new(facts, body)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the content of a file, or `None` if it can't be read as text.
async fn content(path: &Path) -> Option<String> {
    let is_small =
        tokio::fs::metadata(path).await.ok().filter(|file| file.is_file() && file.len() <= MAX_FILE);
    is_small.is_some().then_some(())?;
    tokio::fs::read_to_string(path).await.ok()
}
