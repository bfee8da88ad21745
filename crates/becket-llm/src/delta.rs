//! The pieces of an answer, and their collector.
//!
//! INVARIANT: the result of a collector is complete: an answer without an end is an error, and a tool call whose input
//! was cut off is never returned as a call.

use crate::error::ModelError;
use crate::judge::repeated_key;
use crate::message::{Block, Object};
use crate::rate_limit::RateLimit;
use crate::response::{Response, StopReason, Usage};
use serde_json::Value;
use std::collections::BTreeMap;

/// A piece of an answer. `index` identifies its block; blocks may interleave.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// The state of the limit on requests; before the answer, or before the error instead of it.
    RateLimit(RateLimit),
    /// The start of the answer.
    Start {
        /// The provider's name for this answer.
        id: String,
        /// The model that gives the answer.
        model: String,
    },
    /// The start of a block; text and input may still be empty.
    BlockStart {
        /// The position of the block in the answer.
        index: usize,
        /// The block as far as it is known.
        block: Block,
    },
    /// More text of a text block.
    Text {
        /// The index of the block.
        index: usize,
        /// The text to append.
        text: String,
    },
    /// More of a tool's input, as a fragment of JSON text.
    ToolInput {
        /// The index of the block.
        index: usize,
        /// The JSON text to append.
        json: String,
    },
    /// More of a thought.
    Thinking {
        /// The index of the block.
        index: usize,
        /// The text to append.
        text: String,
    },
    /// The signature of a thought.
    Signature {
        /// The index of the block.
        index: usize,
        /// The part of the signature to append.
        signature: String,
    },
    /// A block is complete.
    BlockStop {
        /// The index of the block.
        index: usize,
    },
    /// The tokens used so far; replaces the earlier count.
    Usage(Usage),
    /// The answer is complete.
    Stop(StopReason),
}

/// A block that is still being received.
#[derive(Debug)]
struct Open {
    block: Block,
    /// The text of a tool's input so far.
    json: String,
    complete: bool,
}

/// A tool call with invalid input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenCall {
    /// The position of the call in the answer's content, from 0.
    pub at: usize,
    /// The error in its input.
    pub why: String,
}

/// Assembles the deltas of one answer.
#[derive(Debug)]
pub struct Collector {
    from: String,
    id: String,
    model: String,
    blocks: BTreeMap<usize, Open>,
    usage: Usage,
    stop: Option<StopReason>,
}

impl Collector {
    /// Creates an empty collector; `from` is the name of the model or host in errors.
    #[must_use]
    pub fn new(from: &str) -> Self {
        Self {
            from: from.to_owned(),
            id: String::new(),
            model: from.to_owned(),
            blocks: BTreeMap::new(),
            usage: Usage::default(),
            stop: None,
        }
    }

    /// Adds the next delta.
    ///
    /// # Errors
    /// [`ModelError::BadAnswer`] if the delta's block was never started, or is of another kind.
    pub fn push(&mut self, delta: Delta) -> Result<(), ModelError> {
        match delta {
            Delta::Start { id, model } => {
                self.id = id;
                if !model.is_empty() {
                    self.model = model;
                }
            }
            Delta::BlockStart { index, block } => {
                let open = Open { block, json: String::new(), complete: false };
                if self.blocks.insert(index, open).is_some() {
                    return Err(self.bad(format!("block {index} begins twice")));
                }
            }
            Delta::Text { index, text } => self.append(index, "text", &text)?,
            Delta::ToolInput { index, json } => self.append(index, "input", &json)?,
            Delta::Thinking { index, text } => self.append(index, "thinking", &text)?,
            Delta::Signature { index, signature } => self.append(index, "signature", &signature)?,
            Delta::BlockStop { index } => self.open(index)?.complete = true,
            Delta::RateLimit(_) => {}
            Delta::Usage(usage) => self.usage = usage,
            Delta::Stop(stop) => self.stop = Some(stop),
        }
        Ok(())
    }

    /// Returns the complete answer. A tool call that was cut off by the token limit is left out.
    ///
    /// # Errors
    /// [`ModelError::Truncated`] if the stop is missing; [`ModelError::BadAnswer`] if the input of a tool is not an
    /// object.
    pub fn finish(self) -> Result<Response, ModelError> {
        let from = self.from.clone();
        let (response, broken) = self.finish_with_broken_calls()?;
        match broken.into_iter().next() {
            None => Ok(response),
            Some(BrokenCall { why, .. }) => Err(ModelError::BadAnswer { from, message: why }),
        }
    }

    /// Returns the complete answer, for callers that report an invalid call to the model: a call whose input is not a
    /// JSON object stays in the answer, with an empty input, and is also listed separately. It must not be run.
    ///
    /// # Errors
    /// [`ModelError::Truncated`] if the stop is missing.
    pub fn finish_with_broken_calls(mut self) -> Result<(Response, Vec<BrokenCall>), ModelError> {
        let Some(stop) = self.stop.take() else {
            return Err(ModelError::Truncated { from: self.from });
        };
        let (mut content, mut broken) = (Vec::with_capacity(self.blocks.len()), Vec::new());
        for open in std::mem::take(&mut self.blocks).into_values() {
            match close(open, &stop) {
                FinishedBlock::Whole(block) => content.push(block),
                FinishedBlock::CutOff => {}
                FinishedBlock::Broken(block, why) => {
                    broken.push(BrokenCall { at: content.len(), why });
                    content.push(block);
                }
            }
        }
        Ok((Response { id: self.id, model: self.model, content, stop, usage: self.usage }, broken))
    }

    fn open(&mut self, index: usize) -> Result<&mut Open, ModelError> {
        let from = &self.from;
        self.blocks.get_mut(&index).ok_or_else(|| ModelError::BadAnswer {
            from: from.clone(),
            message: format!("a piece of block {index}, which never began"),
        })
    }

    fn append(&mut self, index: usize, what: &str, more: &str) -> Result<(), ModelError> {
        let open = self.open(index)?;
        match (&mut open.block, what) {
            (Block::Text(text), "text") => text.push_str(more),
            (Block::Thinking { text, .. }, "thinking") => text.push_str(more),
            (Block::Thinking { signature, .. }, "signature") => signature.push_str(more),
            (Block::ToolUse { .. }, "input") => open.json.push_str(more),
            (Block::Other(_), "input") => open.json.push_str(more),
            (Block::Other(block), key) => {
                let text = block.get(key).and_then(Value::as_str).unwrap_or_default();
                let text = format!("{text}{more}");
                if let Some(block) = block.as_object_mut() {
                    block.insert(key.to_owned(), text.into());
                }
            }
            _ => {
                return Err(self.bad(format!("a piece of {what} in block {index}, which is of another kind")));
            }
        }
        Ok(())
    }

    fn bad(&self, message: String) -> ModelError {
        ModelError::BadAnswer { from: self.from.clone(), message }
    }
}

/// A block of a finished answer.
enum FinishedBlock {
    Whole(Block),
    /// A tool call that was cut off by the token limit.
    CutOff,
    /// A tool call with invalid input, which is left out, and the error.
    Broken(Block, String),
}

fn close(open: Open, stop: &StopReason) -> FinishedBlock {
    let Block::ToolUse { id, name, input } = open.block else {
        return FinishedBlock::Whole(whole_unknown(open.block, &open.json));
    };
    let cut_off = *stop == StopReason::MaxTokens;
    if open.json.trim().is_empty() {
        let whole = open.complete || !cut_off;
        return if whole {
            FinishedBlock::Whole(Block::ToolUse { id, name, input })
        } else {
            FinishedBlock::CutOff
        };
    }
    let broken =
        |name, why| FinishedBlock::Broken(Block::ToolUse { id: id.clone(), name, input: Object::new() }, why);
    if let Some(key) = repeated_key(open.json.as_bytes()) {
        return broken(name, format!("the input of a tool call says `{key}` twice"));
    }
    match serde_json::from_str::<Object>(&open.json) {
        Ok(input) => FinishedBlock::Whole(Block::ToolUse { id, name, input }),
        Err(_) if cut_off => FinishedBlock::CutOff,
        Err(error) => broken(name, format!("the input of a tool call is not a JSON object: {error}")),
    }
}

/// Returns an unknown block with the input that arrived in pieces, such as a tool that the provider runs itself.
fn whole_unknown(block: Block, json: &str) -> Block {
    match (block, serde_json::from_str::<Value>(json)) {
        (Block::Other(Value::Object(mut block)), Ok(input)) => {
            block.insert("input".to_owned(), input);
            Block::Other(Value::Object(block))
        }
        (block, _) => block,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn collected(deltas: Vec<Delta>) -> Result<Response, ModelError> {
        let mut collector = Collector::new("m");
        deltas.into_iter().try_for_each(|delta| collector.push(delta))?;
        collector.finish()
    }

    fn tool(index: usize) -> Delta {
        let block = Block::ToolUse { id: "t".into(), name: "Bash".into(), input: Object::new() };
        Delta::BlockStart { index, block }
    }

    // rule: O10
    #[test]
    fn an_answer_without_its_end_is_none() {
        let deltas = vec![Delta::BlockStart { index: 0, block: Block::Text("{\"ok\": true}".into()) }];
        assert_eq!(collected(deltas), Err(ModelError::Truncated { from: "m".into() }));
        assert_eq!(collected(Vec::new()), Err(ModelError::Truncated { from: "m".into() }));
    }

    // rule: H8
    #[test]
    fn a_tool_call_is_given_out_only_when_its_input_is_whole() {
        let json = |json: &str| Delta::ToolInput { index: 0, json: json.into() };
        let ended = Delta::BlockStop { index: 0 };
        for (input, complete, stop, expected) in [
            ("", true, StopReason::ToolUse, Some(json!({}))),
            ("", true, StopReason::MaxTokens, Some(json!({}))),
            ("", false, StopReason::MaxTokens, None),
            ("{\"a\": 1}", true, StopReason::ToolUse, Some(json!({"a": 1}))),
            ("{\"a\": 1}", false, StopReason::MaxTokens, Some(json!({"a": 1}))),
            ("{\"a\": ", false, StopReason::MaxTokens, None),
        ] {
            let mut deltas = vec![tool(0), json(input)];
            deltas.extend(complete.then(|| ended.clone()));
            deltas.push(Delta::Stop(stop.clone()));
            let answer = collected(deltas).unwrap();
            let input =
                answer.tool_uses().next().map(|(_, _, input)| serde_json::Value::Object(input.clone()));
            assert_eq!(input, expected, "{stop:?} {complete}");
        }
        for input in
            ["{\"a\": ", "[1]", "1", "{\"ok\": false, \"ok\": true}", "{\"a\": [{\"b\": 1, \"b\": 1}]}"]
        {
            let error = collected(vec![tool(0), json(input), Delta::Stop(StopReason::ToolUse)]).unwrap_err();
            assert!(matches!(error, ModelError::BadAnswer { .. }), "{error}");
            let mut lenient = Collector::new("m");
            for delta in [tool(0), json(input), tool(1), Delta::Stop(StopReason::ToolUse)] {
                lenient.push(delta).unwrap();
            }
            let (answer, broken) = lenient.finish_with_broken_calls().unwrap();
            let empty = |block: &Block| matches!(block, Block::ToolUse { input, .. } if input.is_empty());
            assert!(answer.content.len() == 2 && answer.content.iter().all(empty), "{answer:?}");
            assert!(matches!(&broken[..], [BrokenCall { at: 0, .. }]), "{broken:?}");
        }
    }

    #[test]
    fn a_block_begins_once() {
        assert!(matches!(collected(vec![tool(0), tool(0)]), Err(ModelError::BadAnswer { .. })));
        assert!(matches!(collected(vec![Delta::BlockStop { index: 7 }]), Err(ModelError::BadAnswer { .. })));
    }
}
