//! A checker for the messages that the API accepts, written from its rules and its known errors.

use becket_llm::{Block, Message, Role};
use std::collections::HashSet;

/// Returns the reason why the API would reject these messages.
pub(crate) fn refusal(messages: &[Message]) -> Option<String> {
    let mut ids = HashSet::new();
    if messages.first().map(|first| first.role) != Some(Role::User) {
        return Some("the first message must be the user's".into());
    }
    for (at, message) in messages.iter().enumerate() {
        let next = messages.get(at + 1);
        let before = at.checked_sub(1).map(|before| &messages[before]);
        if next.is_some_and(|next| next.role == message.role) {
            return Some(format!("messages.{at}: roles must alternate"));
        }
        if message.content.is_empty() {
            return Some(format!("messages.{at}: content must not be empty"));
        }
        let wrong = match message.role {
            Role::User => user(message, before),
            Role::Assistant => assistant(message, next, &mut ids),
        };
        if let Some(wrong) = wrong {
            return Some(format!("messages.{at}: {wrong}"));
        }
    }
    None
}

fn user(message: &Message, before: Option<&Message>) -> Option<String> {
    let called: Vec<&str> = before.map(calls).unwrap_or_default();
    let answered: Vec<&str> = message.content.iter().filter_map(answered).collect();
    if called != answered {
        return Some(format!("the calls {called:?} have the results {answered:?}"));
    }
    if message.content.iter().skip(answered.len()).any(|block| self::answered(block).is_some()) {
        return Some("tool_result blocks must come first".into());
    }
    message.content.iter().find_map(|block| match block {
        Block::ToolResult { content, is_error, .. } => result(content, *is_error),
        other => material(other),
    })
}

fn assistant(message: &Message, next: Option<&Message>, ids: &mut HashSet<String>) -> Option<String> {
    if next.is_none() && !calls(message).is_empty() {
        return Some("tool_use ids were found without tool_result blocks immediately after".into());
    }
    match message.content.last() {
        Some(Block::Thinking { .. } | Block::RedactedThinking { .. }) => {
            return Some("the final block in an assistant message cannot be `thinking`".into());
        }
        Some(Block::Text(text)) if next.is_none() && text.trim_end() != text => {
            return Some("final assistant content cannot end with trailing whitespace".into());
        }
        _ => {}
    }
    message.content.iter().find_map(|block| match block {
        Block::Text(text) => blank(text),
        Block::ToolUse { id, name, .. } => {
            let repeated = (!ids.insert(id.clone())).then(|| format!("`tool_use` ids must be unique: {id}"));
            repeated.or_else(|| word(id, usize::MAX)).or_else(|| word(name, 128))
        }
        Block::Thinking { signature, .. } => signature.is_empty().then(|| "thinking.signature".into()),
        Block::RedactedThinking { data } => data.is_empty().then(|| "redacted_thinking.data".into()),
        Block::Other(value) => match value["type"].as_str() {
            None | Some("") => Some("a block without a type".into()),
            Some("text" | "image" | "tool_use" | "tool_result" | "thinking" | "redacted_thinking") => {
                Some(format!("a field is required: {value}"))
            }
            Some(_) => None,
        },
        Block::Image { .. } | Block::ToolResult { .. } => Some("such a block is the user's alone".into()),
    })
}

fn result(content: &[Block], is_error: bool) -> Option<String> {
    if is_error && content.is_empty() {
        return Some("content cannot be empty if `is_error` is true".into());
    }
    if is_error && content.iter().any(|block| block.as_text().is_none()) {
        return Some("all content must be type `text` if `is_error` is true".into());
    }
    content.iter().find_map(material)
}

/// Returns an error about a block that a user or a tool may not send.
fn material(block: &Block) -> Option<String> {
    match block {
        Block::Text(text) => blank(text),
        Block::Image { media_type, data } => {
            let known = ["image/jpeg", "image/png", "image/gif", "image/webp"].contains(&media_type.as_str());
            (!known || data.is_empty()).then(|| format!("image.source: {media_type}"))
        }
        Block::Other(value) => match value["type"].as_str() {
            Some("document" | "search_result") => None,
            _ => Some(format!("no such block is the user's: {value}")),
        },
        other => Some(format!("no such block is the user's: {other:?}")),
    }
}

fn calls(message: &Message) -> Vec<&str> {
    message.content.iter().filter_map(called).collect()
}

fn called(block: &Block) -> Option<&str> {
    match block {
        Block::ToolUse { id, .. } => Some(id),
        _ => None,
    }
}

fn answered(block: &Block) -> Option<&str> {
    match block {
        Block::ToolResult { tool_use_id, .. } => Some(tool_use_id),
        _ => None,
    }
}

fn blank(text: &str) -> Option<String> {
    text.trim().is_empty().then(|| "text content blocks must be non-empty".into())
}

fn word(text: &str, longest: usize) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let fine = !text.is_empty() && text.len() <= longest && text.chars().all(fits);
    (!fine).then(|| format!("`{text}` should match ^[a-zA-Z0-9_-]{{1,{longest}}}$"))
}
