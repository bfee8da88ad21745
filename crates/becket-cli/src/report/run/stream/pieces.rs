//! Pieces of answers, as the events of the Messages API: `message_start`, its blocks with their deltas, `message_delta`
//! and `message_stop`.
//!
//! INVARIANT: a block that has begun ends before its message does. An answer that fails ends without `message_stop`; the
//! next attempt begins with `message_start`.

use super::super::content::Tokens;
use becket_llm::{Block, Delta, StopReason, Usage};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An answer that is arriving.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// The id and model of the answer, until its first usage is known.
    start: Option<(String, String)>,
    usage: Usage,
    open: BTreeSet<usize>,
}

impl Pieces {
    /// Returns the events of a delta, in order.
    pub(super) fn events(&mut self, delta: &Delta) -> Vec<Value> {
        match delta {
            Delta::Start { id, model } => {
                *self = Pieces { start: Some((id.clone(), model.clone())), ..Pieces::default() };
                Vec::new()
            }
            Delta::Usage(usage) => {
                self.usage = *usage;
                self.started().into_iter().collect()
            }
            Delta::BlockStart { index, block } => {
                self.open.insert(*index);
                self.started().into_iter().chain(block_start(*index, block)).collect()
            }
            Delta::Text { index, text } => vec![text_delta(*index, text)],
            Delta::ToolInput { index, json } => vec![input_delta(*index, json)],
            Delta::Thinking { index, text } => vec![thinking_delta(*index, text)],
            Delta::Signature { index, signature } => vec![signature_delta(*index, signature)],
            Delta::BlockStop { index } => {
                self.open.remove(index);
                vec![block_stop(*index)]
            }
            Delta::Stop(reason) => self.stopped(reason),
            Delta::RateLimit(_) => Vec::new(),
        }
    }

    fn started(&mut self) -> Option<Value> {
        let (id, model) = self.start.take()?;
        Some(json!({"type": "message_start", "message": {
            "id": id, "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": Tokens::from(self.usage),
        }}))
    }

    fn stopped(&mut self, reason: &StopReason) -> Vec<Value> {
        let mut events: Vec<Value> = self.started().into_iter().collect();
        events.extend(std::mem::take(&mut self.open).into_iter().map(block_stop));
        events.push(json!({
            "type": "message_delta",
            "delta": {"stop_reason": reason.as_str(), "stop_sequence": null},
            "usage": Tokens::from(self.usage),
        }));
        events.push(json!({"type": "message_stop"}));
        events
    }
}

/// Returns the start of a block without its content, which follows in deltas, even if it arrived as a whole.
fn block_start(index: usize, block: &Block) -> Vec<Value> {
    let (empty, deltas) = match block {
        Block::Text(text) => {
            (Block::Text(String::new()), vec![(!text.is_empty()).then(|| text_delta(index, text))])
        }
        Block::Thinking { text, signature } => (
            Block::Thinking { text: String::new(), signature: String::new() },
            vec![
                (!text.is_empty()).then(|| thinking_delta(index, text)),
                (!signature.is_empty()).then(|| signature_delta(index, signature)),
            ],
        ),
        Block::ToolUse { id, name, input } => {
            let input_json = || serde_json::to_string(input).unwrap_or_default();
            (
                Block::ToolUse { id: id.clone(), name: name.clone(), input: serde_json::Map::new() },
                vec![(!input.is_empty()).then(|| input_delta(index, &input_json()))],
            )
        }
        Block::Image { .. } | Block::ToolResult { .. } | Block::RedactedThinking { .. } | Block::Other(_) => {
            (block.clone(), Vec::new())
        }
    };
    let start = json!({"type": "content_block_start", "index": index, "content_block": empty.to_json()});
    std::iter::once(start).chain(deltas.into_iter().flatten()).collect()
}

fn block_stop(index: usize) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn text_delta(index: usize, text: &str) -> Value {
    delta(index, json!({"type": "text_delta", "text": text}))
}

fn input_delta(index: usize, json: &str) -> Value {
    delta(index, json!({"type": "input_json_delta", "partial_json": json}))
}

fn thinking_delta(index: usize, text: &str) -> Value {
    delta(index, json!({"type": "thinking_delta", "thinking": text}))
}

fn signature_delta(index: usize, signature: &str) -> Value {
    delta(index, json!({"type": "signature_delta", "signature": signature}))
}

fn delta(index: usize, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}
