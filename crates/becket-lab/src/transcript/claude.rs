//! Lines of Claude Code (1.0.31 to 2.1.329) and of Becket's own agent, which have one shape.

use super::line::{Attachment, Block, HookInfo, Line, Message, part};
use super::reader::Transcript;
use super::recorded::{RecordedAnswer, RecordedOutput};
use becket_model::EventKind;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Kinds of lines that contain nothing about events.
const QUIET: [&str; 24] = [
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "progress",
    "mode",
    "title",
    "model",
    "deferred",
    "resumed",
    "ai-title",
    "last-prompt",
    "permission-mode",
    "agent-name",
    "agent-color",
    "agent-setting",
    "custom-title",
    "tag",
    "pr-link",
    "worktree-state",
    "content-replacement",
    "attribution-snapshot",
    "result",
    "saved_hook_context",
    "started",
];
/// Beginnings of prompts that the host itself has written.
const OF_HOST: [&str; 7] = [
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "<task-notification>",
    "Caveat:",
    "[Request interrupted",
];
/// Beginnings of results of calls that were never executed.
const NEVER_RAN: [&str; 4] =
    ["The user doesn't want to", "Permission to use", "Claude requested permissions", "<tool_use_error>"];

/// Handles a line; returns false if its kind is not known.
pub(super) fn take(transcript: &mut Transcript, line: &Line<'_>) -> bool {
    if let Some(mode) = &line.mode {
        transcript.session.mode = Some(mode.to_string());
    }
    match line.kind.as_deref().unwrap_or_default() {
        "user" => user(transcript, line),
        "assistant" => assistant(transcript, line),
        "attachment" => attachment(transcript, line),
        "system" => system(transcript, line),
        kind => return QUIET.contains(&kind),
    }
    true
}

fn assistant(transcript: &mut Transcript, line: &Line<'_>) {
    let Some(message) = part::<Message<'_>>(line.message) else {
        transcript.counts.unreadable += 1;
        return;
    };
    let blocks = part::<Vec<Block<'_>>>(message.content).unwrap_or_default();
    for block in &blocks {
        if let (Some("tool_use"), Some(id), Some(name)) = (block.kind.as_deref(), &block.id, &block.name) {
            let input = part::<Value>(block.input).filter(Value::is_object).unwrap_or_else(|| json!({}));
            transcript.session.opened(id, name, &input);
            let own = fields(json!({"tool_name": name, "tool_input": input, "tool_use_id": id}));
            transcript.event(EventKind::PreToolUse, own, Some(id));
        }
    }
    let text = blocks.iter().rev().find_map(|block| block.text.as_deref());
    let (Some("end_turn"), Some(text)) = (message.stop_reason.as_deref(), text) else { return };
    let is_new = message.id.is_none() || message.id.as_deref() != transcript.session.ended_by.as_deref();
    if is_new {
        transcript.session.ended_by = message.id.as_deref().map(str::to_owned);
        stop(transcript, line, Some(text));
    }
}

/// Handles the end of a turn.
fn stop(transcript: &mut Transcript, line: &Line<'_>, text: Option<&str>) {
    let mut own = fields(json!({"stop_hook_active": transcript.session.is_kept_going}));
    if let Some(text) = text {
        own.insert("last_assistant_message".to_owned(), text.into());
    }
    if !line.is_sidechain {
        return transcript.event(EventKind::Stop, own, None);
    }
    let agent = transcript.session.agent.clone().unwrap_or_else(|| "unknown".to_owned());
    let file = transcript.session.file.to_string_lossy().into_owned();
    own.extend(fields(json!({"agent_id": agent, "agent_type": "unknown", "agent_transcript_path": file})));
    transcript.event(EventKind::SubagentStop, own, None);
}

fn user(transcript: &mut Transcript, line: &Line<'_>) {
    let Some(message) = part::<Message<'_>>(line.message) else {
        transcript.counts.unreadable += 1;
        return;
    };
    let blocks = part::<Vec<Block<'_>>>(message.content).unwrap_or_default();
    let mut has_results = false;
    for block in blocks.iter().filter(|block| block.kind.as_deref() == Some("tool_result")) {
        has_results = true;
        result(transcript, line, block);
    }
    if has_results || line.is_meta || line.is_sidechain {
        return;
    }
    let prompt = part::<String>(message.content).unwrap_or_else(|| {
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.as_deref()).collect();
        texts.join("\n")
    });
    if !prompt.is_empty() && !OF_HOST.iter().any(|beginning| prompt.starts_with(beginning)) {
        transcript.session.is_kept_going = false;
        transcript.event(EventKind::UserPromptSubmit, fields(json!({"prompt": prompt})), None);
    }
}

fn result(transcript: &mut Transcript, line: &Line<'_>, block: &Block<'_>) {
    let Some(id) = block.tool_use_id.as_deref() else { return };
    let text = text_of(block);
    if let Some((kind, command, reason)) = denial(&text) {
        let output = RecordedOutput::Denied { reason: reason.to_owned() };
        let answer = RecordedAnswer { command: command.map(str::to_owned), output, elapsed: None };
        transcript.answer(kind, Some(id), answer);
        drop(transcript.session.closed(id));
        return;
    }
    let Some((tool, input)) = transcript.session.closed(id) else { return };
    let is_error = block.is_error == Some(true);
    if is_error && NEVER_RAN.iter().any(|beginning| text.starts_with(beginning)) {
        return;
    }
    let mut own = fields(json!({"tool_name": tool, "tool_input": input, "tool_use_id": id}));
    if is_error {
        own.insert("error".to_owned(), text.into());
        return transcript.event(EventKind::PostToolUseFailure, own, Some(id));
    }
    let response = part::<Value>(line.tool_use_result).unwrap_or_else(|| text.into());
    own.insert("tool_response".to_owned(), response);
    transcript.event(EventKind::PostToolUse, own, Some(id));
}

fn text_of(block: &Block<'_>) -> String {
    part::<String>(block.content).unwrap_or_else(|| {
        let blocks = part::<Vec<Block<'_>>>(block.content).unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.as_deref()).collect();
        texts.join("\n")
    })
}

/// Returns the event, the command and the reason of a recorded denial: `PreToolUse:Bash hook error: [COMMAND]: REASON`. A
/// denial by a JSON answer is recorded without the command.
fn denial(text: &str) -> Option<(EventKind, Option<&str>, &str)> {
    let (head, rest) = text.split_once(" hook error: ")?;
    let event = head.rsplit(|c: char| c.is_whitespace() || c == '>').next()?;
    let kind: EventKind = event.split(':').next()?.parse().ok()?;
    let named = rest.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    Some(named.map_or((kind, None, rest), |(command, reason)| (kind, Some(command), reason)))
}

fn attachment(transcript: &mut Transcript, line: &Line<'_>) {
    let Some(found) = part::<Attachment>(line.attachment) else { return };
    let kind = found.hook_event.as_deref().and_then(|event| event.parse::<EventKind>().ok());
    let (blocked, named) = match &found.blocking_error {
        Some(Value::Object(error)) => {
            let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
            (text("blockingError"), text("command"))
        }
        Some(Value::String(text)) => (Some(text.clone()), None),
        Some(_) | None => (None, None),
    };
    let (Some(kind), Some(command)) = (kind, found.command.or(named)) else { return };
    let output = match found.kind.as_str() {
        "hook_success" | "hook_non_blocking_error" => RecordedOutput::Printed {
            exit: found.exit_code.unwrap_or(i32::from(found.kind != "hook_success")),
            stdout: found.stdout.unwrap_or_default(),
            stderr: found.stderr.unwrap_or_default(),
        },
        "hook_blocking_error" => RecordedOutput::Denied { reason: blocked.unwrap_or_default() },
        "hook_cancelled" => RecordedOutput::Cancelled,
        _ => return,
    };
    if kind == EventKind::Stop && matches!(output, RecordedOutput::Denied { .. }) {
        transcript.session.is_kept_going = true;
    }
    let answer = RecordedAnswer { command: Some(command), output, elapsed: elapsed(found.duration_ms) };
    transcript.answer(kind, found.tool_use_id.as_deref(), answer);
}

fn system(transcript: &mut Transcript, line: &Line<'_>) {
    if line.subtype.as_deref() != Some("stop_hook_summary") {
        return;
    }
    let infos = part::<Vec<HookInfo>>(line.hook_infos).unwrap_or_default();
    transcript.session.is_kept_going |= line.prevented_continuation;
    for info in infos {
        let answer = RecordedAnswer {
            command: Some(info.command),
            output: RecordedOutput::Ran,
            elapsed: elapsed(info.duration_ms),
        };
        transcript.answer(EventKind::Stop, None, answer);
    }
}

fn elapsed(milliseconds: Option<f64>) -> Option<Duration> {
    Duration::try_from_secs_f64(milliseconds? / 1_000.0).ok()
}

/// Returns the fields of an object.
pub(super) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}
