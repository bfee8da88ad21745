//! Reads the transcript that an event names: one JSON object a line, as agents of this protocol write it.
//!
//! Only the end of the file is read, whatever its size. A line that is torn, unknown or not JSON is skipped; anything
//! but a regular file is not read at all, so that a named pipe can't block the hook.

use super::conversation::MOST_MESSAGES;
use crate::host::conversation::Conversations;
use becket_llm::{Block, Message, Role};
use becket_model::{Event, EventBody};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The size of the part at the end of the file that is read, in bytes.
const WINDOW: u64 = 4 << 20;

/// Reads the transcript that the event names.
#[derive(Debug, Clone, Copy, Default)]
pub struct Transcripts;

impl Conversations for Transcripts {
    fn of(&self, event: &Event) -> Option<Vec<Message>> {
        let (path, is_side) = transcript(event);
        let end = end_of(&event.session.cwd.join(path)).ok()?;
        let mut messages = VecDeque::new();
        for line in end.split(|byte| *byte == b'\n') {
            messages.extend(message(line, is_side));
            // One more than is shown, so that it is known that there are more.
            if messages.len() > MOST_MESSAGES + 1 {
                messages.pop_front();
            }
        }
        Some(messages.into())
    }
}

/// Returns the transcript, and whether its lines are side lines: a subagent's own transcript consists of them.
fn transcript(event: &Event) -> (&Path, bool) {
    if let EventBody::SubagentStop(body) = &event.body {
        return (Path::new(&body.agent_transcript_path), true);
    }
    (&event.session.transcript_path, false)
}

/// Returns the last bytes of a regular file, from the beginning of a line.
fn end_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let from = metadata.len().saturating_sub(WINDOW);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(WINDOW).read_to_end(&mut bytes)?;
    if from > 0 {
        let torn = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
        bytes.drain(..torn);
    }
    Ok(bytes)
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// Returns the message on a line, if it is one of the conversation.
fn message(line: &[u8], is_side: bool) -> Option<Message> {
    let line = String::from_utf8_lossy(line);
    let entry: Map<String, Value> = serde_json::from_str(line.trim()).ok()?;
    if !is_side && entry.get("isSidechain") == Some(&Value::Bool(true)) {
        return None;
    }
    // Most agents wrap the message in an entry; some write it as it is.
    let message = match entry.get("message") {
        Some(wrapped) => wrapped.as_object()?,
        None => &entry,
    };
    let role = match message.get("role")?.as_str()? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return None,
    };
    let content: Vec<Block> = blocks(message.get("content")?);
    (!content.is_empty()).then_some(Message { role, content })
}

fn blocks(content: &Value) -> Vec<Block> {
    match content {
        Value::String(text) => vec![Block::Text(text.clone())],
        Value::Array(blocks) => blocks.iter().filter_map(Value::as_object).filter_map(block).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn block(block: &Map<String, Value>) -> Option<Block> {
    let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match block.get("type")?.as_str()? {
        "text" => Some(Block::Text(text("text"))),
        "image" => Some(Block::Image { media_type: "image".to_owned(), data: String::new() }),
        "tool_use" => Some(Block::ToolUse {
            id: text("id"),
            name: text("name"),
            input: block.get("input").and_then(Value::as_object).cloned().unwrap_or_default(),
        }),
        "tool_result" => Some(Block::ToolResult {
            tool_use_id: text("tool_use_id"),
            content: block.get("content").map(blocks).unwrap_or_default(),
            is_error: block.get("is_error") == Some(&Value::Bool(true)),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
