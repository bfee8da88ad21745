//! Calls that wait for their results.

use super::body::{Body, reminder};
use super::deferred::{DeferError, DeferredCalls};
use super::entry::Entry;
use super::sendable::of_tool;
use super::whole::Conversation;
use becket_engine::ToolCall;
use becket_llm::Block;

/// The calls of an answer, until all of them are answered. Only answering all of them returns a [`Conversation`].
#[derive(Debug)]
#[must_use = "open calls have to be closed or deferred"]
pub struct OpenCalls {
    pub(super) body: Body,
    /// The calls in the order of the answer; never empty.
    pub(super) slots: Vec<Slot>,
    /// Texts that belong to no call.
    beside: Vec<String>,
}

/// A call and its result.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) call: ToolCall,
    pub(super) result: Option<Answer>,
    /// The hooks' texts about the call.
    beside: Vec<String>,
}

/// The result of a call.
#[derive(Debug)]
pub(super) struct Answer {
    content: Vec<Block>,
    is_error: bool,
}

/// The reason why a result was rejected. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The answer has no call with this id.
    #[error("no call `{id}` is open: answer one that the model made")]
    Unknown {
        /// The id.
        id: String,
    },
    /// The call was already answered.
    #[error("the call `{id}` has its result: the first one counts")]
    AlreadyAnswered {
        /// The id.
        id: String,
    },
}

impl OpenCalls {
    /// Returns the calls of an answer, if it has any.
    pub(super) fn of(content: &[Block]) -> Option<Loose> {
        let call = |block: &Block| match block {
            Block::ToolUse { id, name, input } => {
                Some(ToolCall { id: id.clone(), name: name.clone(), input: input.clone() })
            }
            Block::Text(_)
            | Block::Image { .. }
            | Block::ToolResult { .. }
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::Other(_) => None,
        };
        let slot = |call| Slot { call, result: None, beside: Vec::new() };
        let slots: Vec<Slot> = content.iter().filter_map(call).map(slot).collect();
        (!slots.is_empty()).then_some(Loose(slots))
    }

    /// Returns the calls without a result, in the order in which the model made them.
    #[must_use]
    pub fn calls(&self) -> Vec<ToolCall> {
        self.open().map(|slot| slot.call.clone()).collect()
    }

    /// Returns whether all calls are answered.
    #[must_use]
    pub fn are_answered(&self) -> bool {
        self.open().next().is_none()
    }

    /// Answers a call. The order does not matter, since the results are sent in the order of the calls.
    ///
    /// # Errors
    /// Errors if the call does not exist, or was already answered.
    pub fn answer(&mut self, id: &str, content: Vec<Block>, is_error: bool) -> Result<(), AnswerError> {
        let slot = self.slot(id)?;
        if slot.result.is_some() {
            return Err(AnswerError::AlreadyAnswered { id: id.to_owned() });
        }
        slot.result = Some(Answer { content: of_tool(content.clone(), is_error), is_error });
        self.body.entries.push(Entry::Result { tool_use_id: id.to_owned(), content, is_error });
        Ok(())
    }

    /// Adds a hook's text about a call, which is sent after the results, in the order of the calls. Blank text is
    /// ignored.
    ///
    /// # Errors
    /// Errors if the call does not exist. It may already be answered.
    pub fn beside_call(&mut self, id: &str, text: impl Into<String>) -> Result<(), AnswerError> {
        let text = text.into();
        let slot = self.slot(id)?;
        if !text.trim().is_empty() {
            slot.beside.push(text.clone());
            self.body.entries.push(Entry::Beside { text, of: Some(id.to_owned()) });
        }
        Ok(())
    }

    /// Adds a text that belongs to no single call: the context of PostToolBatch, a reminder. It is sent after the texts
    /// that belong to calls. Blank text is ignored.
    pub fn beside(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.beside.push(text.clone());
            self.body.entries.push(Entry::Beside { text, of: None });
        }
    }

    /// Answers the open calls with an error that contains the reason, and returns the conversation with everything that
    /// was held back.
    pub fn close(mut self, unanswered: impl AsRef<str>) -> Conversation {
        self.answer_but(|_| false, unanswered.as_ref());
        let (mut results, mut texts) = (Vec::with_capacity(self.slots.len()), Vec::new());
        for Slot { call, result, beside } in self.slots {
            let Answer { content, is_error } = result.unwrap_or_else(|| Answer::error(unanswered.as_ref()));
            results.push(Block::ToolResult { tool_use_id: call.id, content, is_error });
            texts.extend(beside);
        }
        texts.extend(self.beside);
        results.extend(texts.iter().map(|text| reminder(text)));
        self.body.user(results);
        Conversation { body: self.body }
    }

    /// Defers calls until the session is resumed (D10); other open calls are answered with an error, as by
    /// [`OpenCalls::close`].
    ///
    /// # Errors
    /// Errors if no call is named, or one that is not open; the calls are returned unchanged.
    pub fn defer<Id: AsRef<str>>(
        mut self,
        ids: &[Id],
        unanswered: impl AsRef<str>,
    ) -> Result<DeferredCalls, DeferError> {
        let ids: Vec<String> = ids.iter().map(|id| id.as_ref().to_owned()).collect();
        let wrong = ids.iter().find(|id| !self.open().any(|slot| slot.call.id == **id));
        if ids.is_empty() || wrong.is_some() {
            let id = wrong.cloned();
            return Err(DeferError { id, calls: Box::new(self) });
        }
        self.answer_but(|id| ids.iter().any(|named| named == id), unanswered.as_ref());
        self.body.entries.push(Entry::Deferred { ids });
        Ok(DeferredCalls { calls: self })
    }

    /// Takes the entries that are not stored yet, oldest first; the module documentation says when to store them.
    #[must_use = "what is taken has to be stored"]
    pub fn take_entries(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.body.entries)
    }

    fn answer_but(&mut self, stays: impl Fn(&str) -> bool, why: &str) {
        for slot in self.slots.iter_mut().filter(|slot| slot.result.is_none() && !stays(&slot.call.id)) {
            let answer = Answer::error(why);
            self.body.entries.push(Entry::Result {
                tool_use_id: slot.call.id.clone(),
                content: answer.content.clone(),
                is_error: true,
            });
            slot.result = Some(answer);
        }
    }

    fn open(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(|slot| slot.result.is_none())
    }

    fn slot(&mut self, id: &str) -> Result<&mut Slot, AnswerError> {
        let slot = self.slots.iter_mut().find(|slot| slot.call.id == id);
        slot.ok_or_else(|| AnswerError::Unknown { id: id.to_owned() })
    }
}

impl Answer {
    fn error(text: &str) -> Self {
        Self { content: of_tool(vec![Block::Text(text.to_owned())], true), is_error: true }
    }
}

/// Calls that are not part of a conversation yet.
pub(super) struct Loose(Vec<Slot>);

impl Loose {
    pub(super) fn within(self, body: Body) -> OpenCalls {
        OpenCalls { body, slots: self.0, beside: Vec::new() }
    }
}
