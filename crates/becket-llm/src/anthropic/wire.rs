//! Conversion of streamed events and complete answers to deltas.
//!
//! Nothing here touches the network. Unknown events, fields and blocks are ignored or kept as received; only pieces in
//! the wrong order are an error, which the collector reports.

use super::answer::Limits;
use super::block::from_wire;
use crate::delta::Delta;
use crate::error::{ModelError, Refusal, refused};
use crate::judge::repeated_key;
use crate::message::Block;
use crate::response::{StopReason, Usage};
use serde_json::Value;
use std::collections::BTreeSet;

/// Reads the events of one answer.
#[derive(Debug)]
pub(super) struct Decoder {
    limits: Limits,
    /// The tool that carries structured output: its input becomes the text of the answer.
    forced_tool: Option<String>,
    /// The indexes of that tool's blocks.
    forced: BTreeSet<usize>,
    /// True if another tool was called.
    tool_called: bool,
    usage: Usage,
    stop: Option<StopReason>,
}

impl Decoder {
    pub(super) fn new(limits: &Limits, forced_tool: Option<&str>) -> Self {
        Self {
            limits: limits.clone(),
            forced_tool: forced_tool.map(str::to_owned),
            forced: BTreeSet::new(),
            tool_called: false,
            usage: Usage::default(),
            stop: None,
        }
    }

    /// Returns the deltas of one event. [`Delta::Stop`] is the last.
    pub(super) fn event(&mut self, data: &str) -> Result<Vec<Delta>, ModelError> {
        let mut event: Value = serde_json::from_str(data)
            .map_err(|error| self.bad(format!("an event that is not JSON: {error}")))?;
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(match kind.as_str() {
            "message_start" => self.start(&event["message"]),
            "content_block_start" => {
                let index = self.index(&event)?;
                if let Some(key) = repeated_key(data.as_bytes()) {
                    return Err(self.bad(format!("an object that says `{key}` twice")));
                }
                vec![self.block_start(index, event["content_block"].take())]
            }
            "content_block_delta" => {
                let index = self.index(&event)?;
                self.block_delta(index, &event["delta"]).into_iter().collect()
            }
            "content_block_stop" => vec![Delta::BlockStop { index: self.index(&event)? }],
            "message_delta" => {
                self.stop_reason(&event["delta"]);
                self.count(&event["usage"]).into_iter().collect()
            }
            "message_stop" => vec![Delta::Stop(self.stop())],
            "error" => return Err(self.refusal(&event["error"])),
            // `ping`, and events added later.
            _ => Vec::new(),
        })
    }

    /// Returns the deltas of an answer that is a single document.
    pub(super) fn whole(&mut self, mut message: Value) -> Result<Vec<Delta>, ModelError> {
        if message["type"] == "error" {
            return Err(self.refusal(&message["error"]));
        }
        let Some(Value::Array(content)) = message.get_mut("content").map(Value::take) else {
            return Err(self.bad("an answer without `content`".to_owned()));
        };
        let mut deltas = self.start(&message);
        for (index, block) in content.into_iter().enumerate() {
            deltas.push(self.whole_block(index, block));
            deltas.push(Delta::BlockStop { index });
        }
        self.stop_reason(&message);
        deltas.push(Delta::Stop(self.stop()));
        Ok(deltas)
    }

    fn start(&mut self, message: &Value) -> Vec<Delta> {
        let text = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
        let mut deltas = vec![Delta::Start { id: text("id"), model: text("model") }];
        deltas.extend(self.count(&message["usage"]));
        deltas
    }

    fn block_start(&mut self, index: usize, block: Value) -> Delta {
        let block = from_wire(block);
        if let Block::ToolUse { name, .. } = &block {
            if self.forced_tool.as_ref() == Some(name) {
                self.forced.insert(index);
                return Delta::BlockStart { index, block: Block::Text(String::new()) };
            }
            self.tool_called = true;
        }
        Delta::BlockStart { index, block }
    }

    fn whole_block(&mut self, index: usize, block: Value) -> Delta {
        let input = block["input"].to_string();
        let delta = self.block_start(index, block);
        if self.forced.contains(&index) {
            Delta::BlockStart { index, block: Block::Text(input) }
        } else {
            delta
        }
    }

    fn block_delta(&self, index: usize, delta: &Value) -> Option<Delta> {
        let text = |key: &str| delta[key].as_str().map(str::to_owned);
        match delta["type"].as_str()? {
            "text_delta" => Some(Delta::Text { index, text: text("text")? }),
            "input_json_delta" => {
                let json = text("partial_json")?;
                Some(if self.forced.contains(&index) {
                    Delta::Text { index, text: json }
                } else {
                    Delta::ToolInput { index, json }
                })
            }
            "thinking_delta" => Some(Delta::Thinking { index, text: text("thinking")? }),
            "signature_delta" => Some(Delta::Signature { index, signature: text("signature")? }),
            // `citations_delta`, and pieces added later.
            _ => None,
        }
    }

    /// Merges token counts, which are cumulative: a count in an event replaces the earlier one, a missing count keeps
    /// it.
    fn count(&mut self, usage: &Value) -> Option<Delta> {
        let fields = [
            ("input_tokens", &mut self.usage.input_tokens),
            ("output_tokens", &mut self.usage.output_tokens),
            ("cache_read_input_tokens", &mut self.usage.cache_read),
            ("cache_creation_input_tokens", &mut self.usage.cache_write),
        ];
        let mut any = false;
        for (key, count) in fields {
            if let Some(tokens) = usage[key].as_u64() {
                *count = tokens;
                any = true;
            }
        }
        any.then_some(Delta::Usage(self.usage))
    }

    fn stop_reason(&mut self, from: &Value) {
        let Some(reason) = from["stop_reason"].as_str() else { return };
        self.stop = Some(match reason {
            "end_turn" => StopReason::EndTurn,
            "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
            "stop_sequence" => StopReason::StopSequence,
            "tool_use" => StopReason::ToolUse,
            "refusal" => StopReason::Refusal,
            "pause_turn" => StopReason::PauseTurn,
            other => StopReason::Other(other.to_owned()),
        });
    }

    fn stop(&self) -> StopReason {
        match &self.stop {
            Some(StopReason::ToolUse) if !self.forced.is_empty() && !self.tool_called => StopReason::EndTurn,
            Some(stop) => stop.clone(),
            None => StopReason::Other("unsaid".to_owned()),
        }
    }

    fn index(&self, event: &Value) -> Result<usize, ModelError> {
        let index = event["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        index.ok_or_else(|| self.bad("an event of a block without `index`".to_owned()))
    }

    fn refusal(&self, error: &Value) -> ModelError {
        refused(&Refusal {
            from: &self.limits.from,
            model: &self.limits.model,
            status: None,
            kind: &self.limits.scrubbed(error["type"].as_str().unwrap_or_default()),
            message: &self.limits.scrubbed(error["message"].as_str().unwrap_or_default()),
            retry_after: None,
        })
    }

    fn bad(&self, message: String) -> ModelError {
        ModelError::BadAnswer { from: self.limits.from.clone(), message }
    }
}

#[cfg(test)]
mod tests;
