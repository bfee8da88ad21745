//! The content of a conversation, complete or with open calls.
//!
//! INVARIANT: the roles of `messages` alternate, the first is the user's, and none is empty.

use super::entry::Entry;
use super::ids::Ids;
use super::size::Size;
use becket_llm::{Block, Message, Role};

/// The placeholder for the user's prompt if an answer comes first, which happens only if the line with the prompt was
/// lost.
const LOST: &str = "(the beginning of this conversation is lost)";

/// The messages so far, with the state derived from them.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) messages: Vec<Message>,
    pub(super) ids: Ids,
    pub(super) size: Size,
    /// Entries that are not stored yet.
    pub(super) entries: Vec<Entry>,
}

impl Body {
    /// Adds to the user's message, or starts one.
    pub(super) fn user(&mut self, content: Vec<Block>) {
        self.add(Role::User, content);
    }

    /// Adds to the model's message, or starts one.
    pub(super) fn model(&mut self, content: Vec<Block>) {
        if self.messages.is_empty() && !content.is_empty() {
            self.add(Role::User, vec![Block::Text(LOST.to_owned())]);
        }
        self.add(Role::Assistant, content);
    }

    fn add(&mut self, role: Role, content: Vec<Block>) {
        self.size.grow(&content);
        if content.is_empty() {
            return;
        }
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.content.extend(content),
            Some(_) | None => self.messages.push(Message { role, content }),
        }
    }

    /// Replaces all but the last `keep` messages with a summary. A result is kept only with its call.
    pub(super) fn summarise(&mut self, summary: &str, keep: usize) {
        let mut from = self.messages.len().saturating_sub(keep);
        if self.messages.get(from).is_some_and(begins_with_result) {
            from = from.saturating_sub(1);
        }
        let kept = self.messages.split_off(from);
        self.messages.clear();
        self.size = Size::default();
        self.user(vec![Block::Text(summary.to_owned())]);
        for Message { role, content } in kept {
            self.add(role, content);
        }
    }
}

fn begins_with_result(message: &Message) -> bool {
    matches!(message.content.first(), Some(Block::ToolResult { .. }))
}

/// Returns a hook's text in the form that the model reads.
pub(super) fn reminder(text: &str) -> Block {
    Block::Text(format!("<system-reminder>\n{text}\n</system-reminder>"))
}
