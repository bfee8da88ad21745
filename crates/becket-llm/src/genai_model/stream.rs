//! Conversion of `genai` events to deltas.
//!
//! Tool calls come last, when their input is complete. A stream without an end event is an error.

use super::failure::FailureContext;
use crate::delta::Delta;
use crate::error::ModelError;
use crate::message::{Block, Object};
use crate::response::{StopReason, Usage};
use futures_util::stream::{self, BoxStream, StreamExt};
use genai::chat::{ChatStream, ChatStreamEvent, StreamEnd, ToolCall};
use serde_json::Value;
use std::collections::VecDeque;

/// The maximum size of an answer's text and inputs, in bytes.
const LIMIT: usize = 16 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
}

/// Reads an answer and emits its deltas.
pub(super) struct StreamReader {
    events: ChatStream,
    failing: FailureContext,
    ready: VecDeque<Delta>,
    /// The kind of the block that is still open.
    open: Option<Kind>,
    /// The number of blocks so far.
    blocks: usize,
    /// The number of bytes read so far.
    read: usize,
    ended: bool,
}

impl StreamReader {
    pub(super) fn new(events: ChatStream, failing: FailureContext, model: &str) -> Self {
        let start = Delta::Start { id: String::new(), model: model.to_owned() };
        Self { events, failing, ready: VecDeque::from([start]), open: None, blocks: 0, read: 0, ended: false }
    }

    pub(super) fn deltas(self) -> BoxStream<'static, Result<Delta, ModelError>> {
        stream::unfold(self, |mut reading| async move {
            let delta = reading.next().await?;
            Some((delta, reading))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<Delta, ModelError>> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Some(Ok(delta));
            }
            if self.ended {
                return None;
            }
            if let Err(error) = self.read_on().await {
                self.ended = true;
                return Some(Err(error));
            }
        }
    }

    async fn read_on(&mut self) -> Result<(), ModelError> {
        let Some(event) = self.events.next().await else {
            return Err(ModelError::Truncated { from: self.failing.from.clone() });
        };
        match event.map_err(|error| self.failing.error(error))? {
            ChatStreamEvent::Chunk(chunk) => self.grow(Kind::Text, chunk.content)?,
            ChatStreamEvent::ReasoningChunk(chunk) => self.grow(Kind::Thinking, chunk.content)?,
            ChatStreamEvent::ToolCallChunk(chunk) => {
                // Each chunk contains the whole input so far.
                self.bounded(self.read + chunk.tool_call.size())?;
            }
            ChatStreamEvent::End(end) => self.end(end),
            ChatStreamEvent::Start
            | ChatStreamEvent::ThoughtSignatureChunk(_)
            | ChatStreamEvent::Heartbeat => {}
        }
        Ok(())
    }

    fn grow(&mut self, kind: Kind, text: String) -> Result<(), ModelError> {
        self.read += text.len();
        self.bounded(self.read)?;
        if self.open != Some(kind) {
            self.close();
            let block = match kind {
                Kind::Text => Block::Text(String::new()),
                Kind::Thinking => Block::Thinking { text: String::new(), signature: String::new() },
            };
            self.ready.push_back(Delta::BlockStart { index: self.blocks, block });
            self.open = Some(kind);
        }
        let index = self.blocks;
        self.ready.push_back(match kind {
            Kind::Text => Delta::Text { index, text },
            Kind::Thinking => Delta::Thinking { index, text },
        });
        Ok(())
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.ready.push_back(Delta::BlockStop { index: self.blocks });
            self.blocks += 1;
        }
    }

    fn end(&mut self, end: StreamEnd) {
        self.ended = true;
        self.close();
        let mut called = false;
        if let Some(content) = &end.captured_content {
            for signature in content.thought_signatures() {
                let block = Block::Thinking { text: String::new(), signature: signature.to_owned() };
                self.whole(block);
            }
            for call in content.tool_calls() {
                called = true;
                self.call(call);
            }
        }
        if let Some(usage) = &end.captured_usage {
            self.ready.push_back(Delta::Usage(counted(usage)));
        }
        let reason = end.captured_stop_reason.as_ref();
        self.ready.push_back(Delta::Stop(stop(reason, called)));
    }

    fn whole(&mut self, block: Block) {
        let index = self.blocks;
        self.ready.push_back(Delta::BlockStart { index, block });
        self.ready.push_back(Delta::BlockStop { index });
        self.blocks += 1;
    }

    /// Emits a call. An input that is not an object is passed on as text: the collector knows whether it was cut off.
    fn call(&mut self, call: &ToolCall) {
        let (input, json) = match &call.fn_arguments {
            Value::Object(input) => (input.clone(), None),
            Value::Null => (Object::new(), None),
            Value::String(text) => (Object::new(), Some(text.clone())),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_)) => {
                (Object::new(), Some(other.to_string()))
            }
        };
        let block = Block::ToolUse { id: call.call_id.clone(), name: call.fn_name.clone(), input };
        let Some(json) = json else { return self.whole(block) };
        let index = self.blocks;
        self.ready.push_back(Delta::BlockStart { index, block });
        self.ready.push_back(Delta::ToolInput { index, json });
        self.ready.push_back(Delta::BlockStop { index });
        self.blocks += 1;
    }

    fn bounded(&self, bytes: usize) -> Result<(), ModelError> {
        if bytes <= LIMIT {
            return Ok(());
        }
        Err(ModelError::TooLarge { from: self.failing.from.clone(), limit: LIMIT })
    }
}

/// Converts token counts. Providers include cached tokens in the prompt tokens.
fn counted(usage: &genai::chat::Usage) -> Usage {
    let tokens = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok()).unwrap_or_default();
    let details = usage.prompt_tokens_details.as_ref();
    let cache_read = tokens(details.and_then(|details| details.cached_tokens));
    let cache_write = tokens(details.and_then(|details| details.cache_creation_tokens));
    Usage {
        input_tokens: tokens(usage.prompt_tokens).saturating_sub(cache_read + cache_write),
        output_tokens: tokens(usage.completion_tokens),
        cache_read,
        cache_write,
    }
}

fn stop(reason: Option<&genai::chat::StopReason>, called: bool) -> StopReason {
    use genai::chat::StopReason as Theirs;
    match reason {
        Some(Theirs::MaxTokens(_)) => StopReason::MaxTokens,
        Some(Theirs::ContentFilter(_)) => StopReason::Refusal,
        Some(Theirs::StopSequence(_)) => StopReason::StopSequence,
        // Some providers say `stop` even if the model calls tools.
        Some(Theirs::Completed(_) | Theirs::ToolCall(_)) | None if called => StopReason::ToolUse,
        Some(Theirs::Completed(_)) => StopReason::EndTurn,
        Some(Theirs::ToolCall(_)) => StopReason::ToolUse,
        Some(Theirs::Other(reason)) => StopReason::Other(reason.clone()),
        None => StopReason::Other("unsaid".to_owned()),
    }
}
