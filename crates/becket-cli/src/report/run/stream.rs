//! A session as lines of JSON (`--output-format stream-json`).
//!
//! INVARIANT: a line is one JSON object and a line break, and an earlier line reports the start of each hook that ends.

use super::content::{blocks, shown};
use super::event::SessionEvent;
use super::line::{
    Answer, Assistant, ConversationReset, RateLimitEvent, RateLimitInfo, StreamEvent, User, UserContent,
};
use super::naming::Ids;
use super::result::{ApiError, milliseconds};
use super::system_line::{
    AccessRefused, ApiRetry, CompactBoundary, CompactMetadata, ElicitationComplete, Informational,
    ProgramDenied, SessionStateChanged, StopHook, StopHookSummary, System,
};
use becket_agent::update::{Notice, Origin, StopSummary, Update, UpdateKind};
use becket_engine::RunEventKind;
use becket_llm::{Block, Delta, RateLimit, Usage};
use serde::Serialize;

mod hooks;
mod pieces;
mod tasks;

use hooks::Hooks;
use pieces::Pieces;
use std::collections::HashMap;
use tasks::RunningTasks;

/// The lines that are requested in addition to the usual ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StreamOptions {
    /// True to write the lines of hooks.
    pub(crate) hooks: bool,
    /// True to write pieces of answers.
    pub(crate) pieces: bool,
    /// True to write messages of subagents, in addition to their tool calls.
    pub(crate) subagents: bool,
}

/// Writes the lines of a session.
pub(crate) struct Stream {
    ids: Ids,
    wanted: StreamOptions,
    session: String,
    hooks: Hooks,
    /// The answers that are arriving, by the call that started their subagent.
    pieces: HashMap<Option<String>, Pieces>,
    tasks: RunningTasks,
    /// The last state of the limit on requests.
    limit: Option<RateLimit>,
}

impl Stream {
    /// Creates the stream of a session that opens.
    pub(crate) fn new(wanted: StreamOptions, ids: Ids) -> Self {
        Stream {
            ids,
            wanted,
            session: String::new(),
            hooks: Hooks::default(),
            pieces: HashMap::new(),
            tasks: RunningTasks::default(),
            limit: None,
        }
    }

    /// Returns the lines for an event; none if there is nothing to report.
    pub(crate) fn lines(&mut self, shown: &SessionEvent) -> String {
        if let SessionEvent::Hook(event) = shown
            && let RunEventKind::Fired { event } = &event.what
        {
            // The session id is needed early, since hooks run at the start.
            self.session = event.session.id.to_string();
        }
        match shown {
            SessionEvent::Opened(started) => {
                self.session.clone_from(&started.init.session_id);
                let uuid = self.ids.next();
                let what = &started.init;
                line(&System { r#type: "system", subtype: "init", what, uuid, session_id: None })
            }
            SessionEvent::Update(update) => {
                let progress = match &update.of {
                    Origin::Subagent { id, .. } => self.tasks.progressed(id.as_str(), update),
                    Origin::Main => None,
                };
                self.update(update) + &self.task_lines(progress.into_iter().collect())
            }
            SessionEvent::SubagentsWanted => {
                self.wanted.subagents = true;
                String::new()
            }
            SessionEvent::State(state) => {
                let what = SessionStateChanged { state: state.name, sdk_host_only: state.for_sdk };
                self.system("session_state_changed", &what)
            }
            SessionEvent::Hook(event) if self.wanted.hooks => match self.hooks.line(event, self.ids) {
                Some(found) => found.written(|subtype, what| self.system(subtype, &what)),
                None => String::new(),
            },
            SessionEvent::Hook(_) => String::new(),
            SessionEvent::Control(message) => line(message),
            SessionEvent::Ended(result) => {
                let failed = result.api_error.as_ref().map(|error| self.api_error(error));
                failed.unwrap_or_default() + &line(result)
            }
        }
    }

    fn task_lines(&self, lines: Vec<tasks::TaskLine>) -> String {
        lines.iter().map(|(subtype, what)| self.system(subtype, what)).collect()
    }

    /// Returns the line about a request that is sent again.
    fn retry(&self, what: &UpdateKind) -> String {
        let UpdateKind::Retrying { attempt, max_retries, after, status, class, because } = what else {
            return String::new();
        };
        let what = ApiRetry {
            attempt: attempt.saturating_sub(1),
            max_retries: *max_retries,
            retry_delay_ms: milliseconds(*after),
            error_status: *status,
            error: class.as_str(),
            message: because.clone(),
        };
        self.system("api_retry", &what)
    }

    fn update(&mut self, update: &Update) -> String {
        let parent = parent(&update.of);
        match &update.what {
            UpdateKind::Piece(delta) if self.wanted.pieces && !self.leaves_out(parent.as_ref()) => {
                self.piece(delta, parent)
            }
            UpdateKind::Cleared { session } => self.reset(session),
            UpdateKind::Piece(_)
            | UpdateKind::Text { .. }
            | UpdateKind::Displayed { .. }
            | UpdateKind::CallStarted { .. }
            | UpdateKind::CallEnded { .. }
            | UpdateKind::Titled { .. }
            | UpdateKind::Moved { .. } => String::new(),
            UpdateKind::Answered { message_id, model, content, displayed, usage, uuid } => {
                let uuid = uuid.clone().unwrap_or_else(|| self.ids.next());
                let displayed = displayed.as_deref();
                let answer = AnswerParts { id: message_id, model, content, displayed, usage: *usage, uuid };
                if self.leaves_out(parent.as_ref()) {
                    let calls = calls_alone(content);
                    let answer = AnswerParts { content: &calls, displayed: None, ..answer };
                    return if calls.is_empty() { String::new() } else { self.answer(answer, parent) };
                }
                self.answer(answer, parent)
            }
            UpdateKind::UserMessage { content, hidden } if self.leaves_out(parent.as_ref()) => {
                let results = calls_alone(content);
                if results.is_empty() { String::new() } else { self.user_message(&results, *hidden, parent) }
            }
            UpdateKind::UserMessage { content, hidden } => self.user_message(content, *hidden, parent),
            UpdateKind::Notice(notice) => self.system("informational", &informational(notice)),
            UpdateKind::StopHooks(summary) => self.system("stop_hook_summary", &stop_hooks(summary)),
            retrying @ UpdateKind::Retrying { .. } => self.retry(retrying),
            UpdateKind::RateLimit(limit) => self.rate_limit(limit),
            UpdateKind::Compacted { trigger, tokens_before } => {
                let compact_metadata =
                    CompactMetadata { trigger: trigger.clone(), pre_tokens: *tokens_before };
                self.system("compact_boundary", &CompactBoundary { compact_metadata })
            }
            UpdateKind::ElicitationComplete { server, id } => {
                let (mcp_server_name, elicitation_id) = (server.clone(), id.clone());
                self.system("elicitation_complete", &ElicitationComplete { mcp_server_name, elicitation_id })
            }
            UpdateKind::Task { .. } => {
                let lines = self.tasks.changed(&update.what);
                self.task_lines(lines)
            }
            UpdateKind::ProgramDenied { tool_use_id, command, reason, chain } => {
                let (tool_use_id, command) = (tool_use_id.clone(), command.clone());
                let denied =
                    ProgramDenied { tool_use_id, command, reason: reason.clone(), chain: chain.clone() };
                self.system("program_denied", &denied)
            }
            UpdateKind::AccessRefused { tool_use_id, refusal } => {
                let tool_use_id = tool_use_id.clone();
                self.system("access_refused", &AccessRefused { tool_use_id, refusal: refusal.clone() })
            }
        }
    }

    /// Returns true if the texts of this conversation are left out: it belongs to a subagent, and they were not
    /// requested.
    fn leaves_out(&self, parent: Option<&String>) -> bool {
        parent.is_some() && !self.wanted.subagents
    }

    fn answer(&self, answer: AnswerParts<'_>, parent_tool_use_id: Option<String>) -> String {
        let AnswerParts { id, model, content, displayed, usage, uuid } = answer;
        line(&Assistant {
            r#type: "assistant",
            message: Answer {
                model: model.to_owned(),
                id: id.to_owned(),
                r#type: "message",
                role: "assistant",
                content: shown(content, displayed),
                stop_reason: None,
                stop_sequence: None,
                usage: usage.into(),
            },
            parent_tool_use_id,
            error: None,
            session_id: self.session.clone(),
            uuid,
        })
    }

    /// Returns the line that replaces an answer that never arrived.
    fn api_error(&self, error: &ApiError) -> String {
        let text = format!("API Error: {}", error.message);
        line(&Assistant {
            r#type: "assistant",
            message: Answer {
                model: "<synthetic>".to_owned(),
                id: self.ids.next(),
                r#type: "message",
                role: "assistant",
                content: blocks(&[Block::Text(text)]),
                stop_reason: Some("stop_sequence"),
                stop_sequence: Some(""),
                usage: Usage::default().into(),
            },
            parent_tool_use_id: None,
            error: Some(error.class.clone()),
            session_id: self.session.clone(),
            uuid: self.ids.next(),
        })
    }

    fn user_message(&self, content: &[Block], hidden: bool, parent_tool_use_id: Option<String>) -> String {
        line(&User {
            r#type: "user",
            message: UserContent { role: "user", content: blocks(content) },
            parent_tool_use_id,
            is_synthetic: hidden,
            session_id: self.session.clone(),
            uuid: self.ids.next(),
        })
    }

    fn piece(&mut self, delta: &Delta, parent: Option<String>) -> String {
        let events = self.pieces.entry(parent.clone()).or_default().events(delta);
        if matches!(delta, Delta::Stop(_)) {
            self.pieces.remove(&parent);
        }
        let one = |event| {
            line(&StreamEvent {
                r#type: "stream_event",
                event,
                session_id: self.session.clone(),
                parent_tool_use_id: parent.clone(),
                uuid: self.ids.next(),
            })
        };
        events.into_iter().map(one).collect()
    }

    /// Reports the state of the limit on requests if it has changed.
    fn rate_limit(&mut self, limit: &RateLimit) -> String {
        if self.limit.replace(limit.clone()).as_ref() == Some(limit) {
            return String::new();
        }
        line(&RateLimitEvent {
            r#type: "rate_limit_event",
            rate_limit_info: RateLimitInfo::from(limit),
            uuid: self.ids.next(),
            session_id: self.session.clone(),
        })
    }

    fn reset(&self, new: &str) -> String {
        line(&ConversationReset {
            r#type: "conversation_reset",
            new_conversation_id: new.to_owned(),
            trigger: "clear",
            session_id: self.session.clone(),
            uuid: self.ids.next(),
        })
    }

    fn system<T: Serialize>(&self, subtype: &'static str, what: &T) -> String {
        let session_id = Some(self.session.as_str());
        line(&System { r#type: "system", subtype, what, uuid: self.ids.next(), session_id })
    }
}

/// The parts of a line with an answer.
struct AnswerParts<'a> {
    id: &'a str,
    model: &'a str,
    content: &'a [Block],
    displayed: Option<&'a str>,
    usage: Usage,
    uuid: String,
}

/// Returns the calls and results among some blocks.
fn calls_alone(content: &[Block]) -> Vec<Block> {
    let is_call = |block: &&Block| matches!(block, Block::ToolUse { .. } | Block::ToolResult { .. });
    content.iter().filter(is_call).cloned().collect()
}

fn parent(of: &Origin) -> Option<String> {
    match of {
        Origin::Main => None,
        Origin::Subagent { tool_use_id, .. } => Some(tool_use_id.clone()),
    }
}

fn informational(notice: &Notice) -> Informational {
    let content = match &notice.hook {
        Some(hook) if !notice.unchecked => format!("{hook} says: {}", notice.text),
        Some(_) | None => notice.text.clone(),
    };
    let tag = notice.unchecked.then_some("hook_no_verdict");
    Informational { content, level: notice.level.as_str(), tag }
}

fn stop_hooks(summary: &StopSummary) -> StopHookSummary {
    let hook = |(label, took): &(String, std::time::Duration)| StopHook {
        command: label.clone(),
        duration_ms: milliseconds(*took),
    };
    StopHookSummary {
        hook_event: summary.event.name(),
        hook_count: summary.hooks.len(),
        hooks: summary.hooks.iter().map(hook).collect(),
        hook_errors: summary.errors.clone(),
        prevented_continuation: summary.prevented.is_some(),
        stop_reason: summary.prevented.clone(),
        has_output: summary.had_output,
        summary_id: summary.id.clone(),
    }
}

/// Returns one line. A value that can't be serialized yields nothing: a missing line is better than a broken one.
pub(super) fn line(what: &impl Serialize) -> String {
    serde_json::to_string(what).map(|line| line + "\n").unwrap_or_default()
}
