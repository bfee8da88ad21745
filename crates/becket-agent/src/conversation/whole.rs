//! A conversation without open calls.

use super::body::{Body, reminder};
use super::entry::Entry;
use super::open::OpenCalls;
use super::sendable::{SayError, of_model, of_user};
use becket_llm::{Block, Message, Response, Role};

/// The messages for the model, in which each call has its result (L2).
///
/// [`Conversation::answered`] consumes it, and returns either a conversation again, or the calls that must be answered
/// first; until then nothing can be added or sent:
///
/// ```
/// use becket_agent::conversation::{Conversation, Next};
/// use becket_llm::{Block, Response, StopReason, Usage};
///
/// let call = Block::ToolUse { id: "t1".into(), name: "Bash".into(), input: serde_json::Map::new() };
/// # let answer = Response {
/// #     id: String::new(), model: "m".into(), content: vec![call], stop: StopReason::ToolUse, usage: Usage::default(),
/// # };
/// let mut conversation = Conversation::default();
/// conversation.say(vec![Block::Text("tidy up".into())])?;
/// let Next::Calls(mut calls) = conversation.answered(answer) else { panic!("it asks for a tool") };
/// calls.answer("t1", vec![Block::Text("done".into())], false)?;
/// calls.beside("PostToolBatch hook additional context: fine");
/// let conversation = calls.close("the user stopped the turn");
/// assert_eq!(conversation.messages().len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Neither of these compiles:
///
/// ```compile_fail,E0382
/// # use becket_agent::conversation::Conversation;
/// # fn of(mut conversation: Conversation, answer: becket_llm::Response) {
/// let next = conversation.answered(answer);
/// conversation.beside("while its calls may be open");
/// # }
/// ```
///
/// ```compile_fail,E0599
/// # use becket_agent::conversation::OpenCalls;
/// # fn of(calls: OpenCalls) {
/// calls.messages();
/// # }
/// ```
#[derive(Debug, Default)]
#[must_use = "a conversation that is dropped is lost"]
pub struct Conversation {
    pub(super) body: Body,
}

/// The state after an answer.
#[derive(Debug)]
#[must_use = "open calls have to be answered"]
pub enum Next {
    /// The conversation: the model made no calls.
    Done(Conversation),
    /// Calls that must be answered first.
    Calls(OpenCalls),
}

impl Conversation {
    /// Adds a message of the user.
    ///
    /// # Errors
    /// Errors if the message is empty, or contains something that a user can't send, such as a tool result; then
    /// nothing is added.
    pub fn say(&mut self, content: Vec<Block>) -> Result<(), SayError> {
        let kept = of_user(content.clone())?;
        self.body.entries.push(Entry::UserMessage { content });
        self.body.user(kept);
        Ok(())
    }

    /// Adds a hook's context or a reminder as a separate block in the user's message: the last one, or else the next.
    /// Blank text is ignored.
    pub fn beside(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.body.user(vec![reminder(&text)]);
            self.body.entries.push(Entry::Beside { text, of: None });
        }
    }

    /// Returns whether this exact text was already added.
    #[must_use]
    pub(crate) fn has_beside(&self, text: &str) -> bool {
        let wanted = reminder(text);
        self.body.messages.iter().any(|message| message.content.contains(&wanted))
    }

    /// Adds a user message that transcript views hide: a blocking Stop hook's text, verbatim (L4). Blank text is
    /// ignored.
    pub fn feedback(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.body.user(vec![Block::Text(text.clone())]);
            self.body.entries.push(Entry::Feedback { text });
        }
    }

    /// Adds an answer of the model. Its content as kept, possibly with new ids, is in the pending entry.
    ///
    /// An empty answer adds no message. An answer directly after another, such as after a pause, is joined with it.
    pub fn answered(mut self, mut answer: Response) -> Next {
        let body = &mut self.body;
        answer.content = body.ids.settle(std::mem::take(&mut answer.content));
        body.model(of_model(&answer.content));
        body.size.record_usage(&answer.usage);
        let calls = OpenCalls::of(&answer.content);
        body.entries.push(Entry::Answered { answer });
        match calls {
            Some(calls) => Next::Calls(calls.within(self.body)),
            None => Next::Done(self),
        }
    }

    /// Replaces everything but the last `keep` messages with a summary; one more is kept if a result would lose its
    /// call.
    ///
    /// # Errors
    /// Errors if the summary is blank; then the conversation is unchanged.
    pub fn replace_by_summary(&mut self, text: impl Into<String>, keep: usize) -> Result<(), SayError> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(SayError::Empty);
        }
        self.body.summarise(&text, keep);
        self.body.entries.push(Entry::Summary { text, keep });
        Ok(())
    }

    /// Returns the messages of a request.
    ///
    /// If the last message is the model's own, a provider continues from there after a pause; otherwise most reject it.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let mut messages = self.body.messages.clone();
        // A last message of the model must not end in whitespace.
        if let Some(Message { role: Role::Assistant, content }) = messages.last_mut()
            && let Some(Block::Text(text)) = content.last_mut()
        {
            text.truncate(text.trim_end().len());
        }
        messages
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.messages.len()
    }

    /// Returns whether the conversation is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.body.messages.is_empty()
    }

    /// Estimates the size in tokens: the number that the API reported with the last answer, which includes the system
    /// prompt and the tools, plus a quarter of the bytes since. Before the first answer, after a summary, and with
    /// providers that report nothing, it is a quarter of the bytes of the messages alone.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.body.size.tokens()
    }

    /// Returns whether the estimate includes a provider's report, which covers the system prompt and the tools.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.body.size.is_told()
    }

    /// Takes the entries that are not stored yet, oldest first; the module documentation says when to store them.
    #[must_use = "what is taken has to be stored"]
    pub fn take_entries(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.body.entries)
    }
}
