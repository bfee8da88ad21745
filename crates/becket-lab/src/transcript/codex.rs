//! Lines of rollouts of Codex (`~/.codex/sessions`), with a `payload` or, in early versions, without one. Calls become
//! events as the hooks of Codex see them, read by the table of its dialect.

use super::claude::fields;
use super::line::Line;
use super::reader::Transcript;
use becket_dialects::{Facts, dialect};
use becket_model::EventKind;
use becket_model::wire::input;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Handles a line with a payload; returns false if its kind is not known.
pub(super) fn take(transcript: &mut Transcript, line: &Line<'_>, payload: &RawValue) -> bool {
    let Ok(payload) = serde_json::from_str::<Value>(payload.get()) else { return false };
    if let Some(cwd) = text(&payload, "cwd") {
        transcript.session.moved(cwd);
    }
    match line.kind.as_deref().unwrap_or_default() {
        "session_meta" => {
            if let Some(id) = text(&payload, "id") {
                transcript.session.id = id.to_owned();
            }
        }
        "response_item" => return item(transcript, &payload),
        "event_msg" => message(transcript, &payload),
        "turn_context" | "compacted" | "session_state" => {}
        _ => return false,
    }
    true
}

/// Handles a line of an early version, which is the payload itself.
pub(super) fn take_flat(transcript: &mut Transcript, line: &Line<'_>, whole: &str) -> bool {
    let has_kind = line.kind.is_some();
    let Ok(value) = serde_json::from_str::<Value>(whole) else { return false };
    if has_kind {
        return item(transcript, &value);
    }
    if value.get("record_type").is_some() {
        return true;
    }
    // The first line: the session.
    let Some(id) = text(&value, "id").filter(|_| value.get("instructions").is_some()) else { return false };
    transcript.session.id = id.to_owned();
    true
}

fn message(transcript: &mut Transcript, payload: &Value) {
    match text(payload, "type") {
        Some("user_message") => {
            let prompt = text(payload, "message").unwrap_or_default();
            transcript.event(EventKind::UserPromptSubmit, fields(json!({"prompt": prompt})), None);
        }
        Some("task_complete") => {
            let said = text(payload, "last_agent_message").unwrap_or_default();
            let own = json!({"stop_hook_active": false, "last_assistant_message": said});
            transcript.event(EventKind::Stop, fields(own), None);
        }
        Some(_) | None => {}
    }
}

/// Handles an item of the conversation; returns false if its kind is not known.
fn item(transcript: &mut Transcript, item: &Value) -> bool {
    let id = text(item, "call_id").or_else(|| text(item, "id")).unwrap_or_default();
    match text(item, "type") {
        Some("function_call") => {
            let name = text(item, "name").unwrap_or_default();
            let arguments = text(item, "arguments").and_then(|given| serde_json::from_str(given).ok());
            let (tool, input) = shell(name, arguments.unwrap_or_else(|| json!({})));
            call(transcript, id, &tool, input);
        }
        Some("local_shell_call") => {
            let action = item.get("action").cloned().unwrap_or_default();
            let (tool, input) = shell("shell", action);
            call(transcript, id, &tool, input);
        }
        Some("custom_tool_call") => {
            let name = text(item, "name").unwrap_or_default();
            let input = json!({"command": text(item, "input").unwrap_or_default()});
            call(transcript, id, name, input);
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            output(transcript, id, item.get("output"))
        }
        Some("message" | "reasoning" | "web_search_call" | "ghost_snapshot" | "compaction" | "other") => {}
        Some(_) | None => return false,
    }
    true
}

/// Returns a call of the shell as hooks see it: a command line instead of arguments.
fn shell(name: &str, mut input: Value) -> (String, Value) {
    let is_shell = matches!(name, "shell" | "container.exec" | "local_shell");
    let Some(command) = input.get("command").filter(|_| is_shell) else { return (name.to_owned(), input) };
    let words: Vec<String> = match command {
        Value::Array(words) => words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
        Value::String(line) => vec![line.clone()],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    };
    if words.first().is_some_and(|word| word == "apply_patch") {
        return ("apply_patch".to_owned(), json!({"command": words.get(1)}));
    }
    let line = match words.as_slice() {
        [shell, option, line]
            if shell.ends_with("sh") && option.starts_with('-') && option.ends_with('c') =>
        {
            line.clone()
        }
        words => words.join(" "),
    };
    input["command"] = line.into();
    ("Bash".to_owned(), input)
}

fn call(transcript: &mut Transcript, id: &str, tool: &str, tool_input: Value) {
    transcript.session.opened(id, tool, &tool_input);
    let own = json!({"tool_name": tool, "tool_input": tool_input, "tool_use_id": id});
    events(transcript, EventKind::PreToolUse, id, own);
}

fn output(transcript: &mut Transcript, id: &str, output: Option<&Value>) {
    let Some((tool, tool_input)) = transcript.session.closed(id) else { return };
    let response = output.cloned().unwrap_or_default();
    let own =
        json!({"tool_name": tool, "tool_input": tool_input, "tool_use_id": id, "tool_response": response});
    events(transcript, EventKind::PostToolUse, id, own);
}

/// Adds the events for a hook input of Codex.
fn events(transcript: &mut Transcript, kind: EventKind, id: &str, own: Value) {
    let Some(codex) = dialect("codex") else { return };
    let mut payload = own;
    payload["hook_event_name"] = kind.name().into();
    payload["session_id"] = transcript.session.id.as_str().into();
    payload["cwd"] = transcript.session.cwd.as_str().into();
    payload["transcript_path"] = transcript.session.file.to_string_lossy().into_owned().into();
    let cwd = transcript.session.cwd.clone();
    let facts = Facts { cwd: &cwd, mcp_servers: &[], aliases: &[] };
    let Ok(read) = becket_dialects::read(codex, payload, &facts) else {
        transcript.counts.unreadable += 1;
        return;
    };
    for event in &read.events {
        let mut own = fields(input::to_value(event));
        own.remove("hook_event_name");
        transcript.event(event.kind(), own, Some(id));
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}
