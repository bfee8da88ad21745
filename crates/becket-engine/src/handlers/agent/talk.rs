//! The request of an agent, which grows with each turn by the model's message and its tools' answers, up to a bound.
//!
//! The question itself does not count: it is complete, as for a prompt handler.

use becket_llm::{Block, Message, Request};
use serde_json::Value;

/// The largest number of bytes that a question may grow by: about the context of a common model.
const MOST_BYTES: usize = 600_000;

/// The error for a conversation that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its conversation grew beyond {MOST_BYTES} bytes")]
pub(crate) struct TooLong;

/// A request that grows.
#[derive(Debug)]
pub(crate) struct Talk {
    request: Request,
    grown: usize,
}

impl Talk {
    /// Creates a conversation that begins with the question.
    pub(crate) fn new(request: Request) -> Self {
        Talk { request, grown: 0 }
    }

    /// Returns the request for the model.
    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    /// Adds a message, unless it has no content.
    pub(crate) fn push(&mut self, message: Message) -> Result<(), TooLong> {
        if message.content.is_empty() {
            return Ok(());
        }
        self.grown += size(&message);
        if self.grown > MOST_BYTES {
            return Err(TooLong);
        }
        self.request.messages.push(message);
        Ok(())
    }
}

fn size(message: &Message) -> usize {
    message.content.iter().map(size_of).sum()
}

fn size_of(block: &Block) -> usize {
    match block {
        Block::Text(text) => text.len(),
        Block::Image { data, .. } | Block::RedactedThinking { data } => data.len(),
        Block::ToolUse { name, input, .. } => name.len() + Value::Object(input.clone()).to_string().len(),
        Block::ToolResult { content, .. } => content.iter().map(size_of).sum(),
        Block::Thinking { text, signature } => text.len() + signature.len(),
        Block::Other(value) => value.to_string().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_to_a_bound_and_not_beyond() {
        // rule: H8
        let mut talk = Talk::new(Request::user("x".repeat(MOST_BYTES)));
        let answer = || Message::user("x".repeat(100_000));
        let pushed = (0..100).take_while(|_| talk.push(answer()).is_ok()).count();
        assert_eq!((pushed, talk.request().messages.len()), (6, 7));
    }
}
