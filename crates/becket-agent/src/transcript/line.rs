//! The content of a line: a change to the conversation, or a fact about the session.
//!
//! Lines have the format of other agents of this protocol if those have such a line: `type`, `uuid`, `parentUuid`,
//! `sessionId`, `timestamp`, `cwd`, `message`. Others have their own `type`, or a `kind` in addition to `isMeta`.

use super::blocks;
use crate::conversation::Entry;
use becket_llm::{Block, Object};
use becket_model::event::PermissionMode;
use serde_json::{Value, json};

/// A fact about the session that is not part of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// The new title of the session, given by the user, a hook or a program.
    Title(String),
    /// A title that a model wrote or that was derived from the prompt. A given title counts instead, whichever is
    /// newer.
    GeneratedTitle(String),
    /// The new permission mode.
    Mode(PermissionMode),
    /// The new model, by the user's name for it.
    Model(String),
    /// A remark for readers of the transcript: the reason why a turn ended, an error of the API. It changes nothing.
    Remark(String),
}

/// Tags around a hook's text.
const TAGS: (&str, &str) = ("<system-reminder>\n", "\n</system-reminder>");

/// The parsed content of a line.
#[derive(Debug)]
pub(super) enum LineContent {
    Entry(Entry),
    Note(Note),
}

/// The kinds of lines that readers follow from a line to the previous one. Other kinds are not part of that chain.
const CHAINED: [&str; 5] = ["user", "assistant", "system", "attachment", "progress"];

/// Returns whether a line of this kind is in the chain of messages.
pub(super) fn is_chained(line: &Object) -> bool {
    line.get("type").and_then(Value::as_str).is_some_and(|kind| CHAINED.contains(&kind))
}

/// Returns whether a line is a prompt: neither a hook's text nor the result of a call.
pub(super) fn is_prompt(line: &Object) -> bool {
    let is = |key: &str| line.get(key) == Some(&Value::Bool(true));
    let content = message(line).and_then(|message| message.get("content"));
    let is_result = content
        .and_then(Value::as_array)
        .is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "tool_result"));
    line.get("type").is_some_and(|kind| kind == "user")
        && !is("isMeta")
        && !is("isCompactSummary")
        && !is_result
}

/// Returns the line that rewinds a session to an earlier message.
pub(super) fn of_rewind(to: &str) -> Value {
    json!({"type": "rewound", "to": to})
}

/// Returns the part of a line that is specific to an entry.
pub(super) fn of_entry(entry: &Entry) -> Value {
    let user = |content: Value| json!({"role": "user", "content": content});
    match entry {
        Entry::UserMessage { content } => {
            json!({"type": "user", "message": user(blocks::user_content(content))})
        }
        Entry::Beside { text, of } => {
            let text = format!("{}{text}{}", TAGS.0, TAGS.1);
            let mut line =
                json!({"type": "user", "isMeta": true, "kind": "reminder", "message": user(text.into())});
            if let Some(id) = of {
                line["toolUseID"] = id.as_str().into();
            }
            line
        }
        Entry::Feedback { text } => {
            json!({"type": "user", "isMeta": true, "kind": "feedback", "message": user(text.as_str().into())})
        }
        Entry::Answered { answer } => json!({"type": "assistant", "message": blocks::answer(answer)}),
        Entry::Result { tool_use_id, content, is_error } => {
            let result = Block::result_to_json(tool_use_id, content, *is_error);
            json!({"type": "user", "message": user(json!([result]))})
        }
        Entry::Deferred { ids } => json!({"type": "deferred", "toolUseIDs": ids}),
        Entry::Resumed => json!({"type": "resumed"}),
        Entry::Summary { text, keep } => {
            json!({"type": "summary", "keep": keep, "message": user(text.as_str().into())})
        }
    }
}

/// Returns the part of a line that is specific to a note.
pub(super) fn of_note(note: &Note) -> Value {
    match note {
        Note::Title(title) => json!({"type": "custom-title", "customTitle": title}),
        Note::GeneratedTitle(title) => json!({"type": "ai-title", "aiTitle": title}),
        Note::Mode(mode) => json!({"type": "mode", "mode": mode.as_str()}),
        Note::Model(model) => json!({"type": "model", "model": model}),
        Note::Remark(text) => json!({"type": "system", "subtype": "informational", "content": text}),
    }
}

/// Returns the content of a line; `None` if its kind is unknown here.
///
/// # Errors
/// Errors if the line is of a known kind but lacks a required part.
pub(super) fn read(line: &Object) -> Result<Vec<LineContent>, &'static str> {
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    let one = |said: Option<LineContent>, or: &'static str| Ok(vec![said.ok_or(or)?]);
    let note = |note: Option<Note>, or| one(note.map(LineContent::Note), or);
    match text("type").unwrap_or_default() {
        "user" => user(line),
        "assistant" => {
            if line.get("isApiErrorMessage") == Some(&Value::Bool(true)) {
                return Ok(Vec::new());
            }
            let answer = message(line).and_then(blocks::answered);
            one(
                answer.map(|answer| LineContent::Entry(Entry::Answered { answer })),
                "an answer without its message",
            )
        }
        "deferred" => one(deferred(line), "calls that wait, without `toolUseIDs`"),
        "resumed" => Ok(vec![LineContent::Entry(Entry::Resumed)]),
        "summary" => one(summary(line), "a summary without its message"),
        "custom-title" => {
            note(text("customTitle").map(|title| Note::Title(title.to_owned())), "no `customTitle`")
        }
        "ai-title" => {
            note(text("aiTitle").map(|title| Note::GeneratedTitle(title.to_owned())), "no `aiTitle`")
        }
        // The format of earlier versions.
        "title" => note(text("title").map(|title| Note::Title(title.to_owned())), "no `title`"),
        "mode" => note(text("mode").map(|mode| Note::Mode(PermissionMode::from_name(mode))), "no `mode`"),
        "model" => note(text("model").map(|model| Note::Model(model.to_owned())), "no `model`"),
        _ => Ok(Vec::new()),
    }
}

fn message(line: &Object) -> Option<&Object> {
    line.get("message")?.as_object()
}

fn user(line: &Object) -> Result<Vec<LineContent>, &'static str> {
    let content = message(line).and_then(|message| blocks::content(message.get("content")));
    let content = content.ok_or("a user's line without its message")?;
    if line.get("isCompactSummary") == Some(&Value::Bool(true)) {
        let text = content.iter().filter_map(Block::as_text).collect::<Vec<_>>().join("\n");
        return Ok(vec![LineContent::Entry(Entry::Summary { text, keep: 0 })]);
    }
    let of = line.get("toolUseID").and_then(Value::as_str).map(str::to_owned);
    let entries = match (line.get("kind").and_then(Value::as_str), content.as_slice()) {
        (Some("reminder"), [Block::Text(text)]) => {
            vec![Entry::Beside { text: untagged(text).to_owned(), of }]
        }
        (Some("feedback"), [Block::Text(text)]) => vec![Entry::Feedback { text: text.clone() }],
        _ => plain(content),
    };
    Ok(entries.into_iter().map(LineContent::Entry).collect())
}

/// Returns the entries of a user's content: results first, then everything else.
fn plain(content: Vec<Block>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rest = Vec::new();
    for block in content {
        match block {
            Block::ToolResult { tool_use_id, content, is_error } => {
                entries.push(Entry::Result { tool_use_id, content, is_error });
            }
            Block::Text(_)
            | Block::Image { .. }
            | Block::ToolUse { .. }
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::Other(_) => rest.push(block),
        }
    }
    if !rest.is_empty() || entries.is_empty() {
        entries.push(Entry::UserMessage { content: rest });
    }
    entries
}

fn deferred(line: &Object) -> Option<LineContent> {
    let ids = line.get("toolUseIDs")?.as_array()?;
    let ids = ids.iter().map(|id| id.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()?;
    Some(LineContent::Entry(Entry::Deferred { ids }))
}

fn summary(line: &Object) -> Option<LineContent> {
    let text = message(line)?.get("content")?.as_str()?.to_owned();
    let keep = line.get("keep").and_then(Value::as_u64).and_then(|keep| usize::try_from(keep).ok());
    Some(LineContent::Entry(Entry::Summary { text, keep: keep.unwrap_or(0) }))
}

fn untagged(text: &str) -> &str {
    text.strip_prefix(TAGS.0).and_then(|text| text.strip_suffix(TAGS.1)).unwrap_or(text)
}
