//! The model that follows a script.

use super::script::{Script, ScriptError, TurnChoice};
use super::turn::{Endless, Turn};
use crate::delta::Delta;
use crate::error::{ModelError, shown};
use crate::message::{Block, Message};
use crate::model::{Capabilities, Model};
use crate::request::Request;
use crate::response::StopReason;
use crate::spec::ModelSpec;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The interval between the pieces of an endless text.
const PIECE_EVERY: Duration = Duration::from_millis(5);

/// A request that a scripted model received.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The request.
    pub request: Request,
    /// The index of the turn it got, from 0; `None` if none fitted.
    pub turn: Option<usize>,
}

/// A model that follows a script and records its requests.
#[derive(Debug)]
pub struct ScriptedModel {
    script: Script,
    recorded: Mutex<Vec<RecordedRequest>>,
}

impl ScriptedModel {
    /// Creates a model that follows this script.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self { script, recorded: Mutex::new(Vec::new()) }
    }

    /// Creates a model that follows the script in a file.
    ///
    /// # Errors
    /// See [`ScriptError`].
    pub fn from_file(path: &Path) -> Result<Self, ScriptError> {
        Script::from_file(path).map(Self::new)
    }

    /// Returns all requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RecordedRequest>> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the turn for a request, and records it in the same step: no two requests get the same turn.
    fn take(&self, request: &Request) -> Result<&Turn, ModelError> {
        let text = rendered(request);
        let mut recorded = self.lock();
        let chosen = match self.script.pick {
            TurnChoice::Next => self.next(recorded.len(), &text),
            TurnChoice::Fitting => self.fitting(&text),
        };
        let turn = chosen.as_ref().ok().copied();
        recorded.push(RecordedRequest { request: request.clone(), turn });
        chosen.map(|turn| &self.script.turns[turn])
    }

    fn next(&self, turn: usize, text: &str) -> Result<usize, ModelError> {
        let Some(next) = self.script.turns.get(turn) else {
            return Err(self.failed(format!("there are {turn} turns and this is request {}", turn + 1)));
        };
        match missing(next, text) {
            None => Ok(turn),
            Some(expected) => Err(self.failed(format!(
                "turn {} expects `{}` in the request, which is `{}`",
                turn + 1,
                shown(expected),
                shown(text)
            ))),
        }
    }

    fn fitting(&self, text: &str) -> Result<usize, ModelError> {
        let fits = |turn: &Turn| missing(turn, text).is_none();
        self.script.turns.iter().position(fits).ok_or_else(|| {
            let expected: Vec<_> =
                self.script.turns.iter().map(|turn| format!("`{}`", turn.expect.join("` and `"))).collect();
            self.failed(format!(
                "no turn fits: expected {}; the request is `{}`",
                shown(&expected.join(", or ")),
                shown(text)
            ))
        })
    }

    fn failed(&self, message: String) -> ModelError {
        ModelError::Script { name: self.script.name.clone(), message }
    }

    async fn open(
        &self,
        request: &Request,
    ) -> Result<BoxStream<'static, Result<Delta, ModelError>>, ModelError> {
        let turn = self.take(request)?.clone();
        if turn.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(turn.delay_ms)).await;
        }
        if let Some(failure) = &turn.error {
            return Err(failure.error(&self.script.name));
        }
        Ok(match turn.endless {
            Some(Endless::Silence) => stream::pending().boxed(),
            Some(Endless::Text) => endless_text(),
            None => stream::iter(deltas(&turn, &self.script.name).into_iter().map(Ok)).boxed(),
        })
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        &self.script.name
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<Delta, ModelError>> {
        stream::once(self.open(request)).try_flatten().boxed()
    }

    fn capabilities(&self) -> Capabilities {
        self.script.capabilities.capabilities()
    }

    fn spec(&self) -> ModelSpec {
        self.script.spec
    }
}

/// Returns the first expected text that is not in the request.
fn missing<'a>(turn: &'a Turn, text: &str) -> Option<&'a str> {
    turn.expect.iter().map(String::as_str).find(|expected| !text.contains(expected))
}

/// Returns a request as one text, in which `expect` is searched.
fn rendered(request: &Request) -> String {
    let system = request.system.iter().cloned();
    let messages = request.messages.iter().map(|Message { content, .. }| blocks(content));
    system.chain(messages).collect::<Vec<_>>().join("\n")
}

fn blocks(blocks_of: &[Block]) -> String {
    let text = |block: &Block| match block {
        Block::Text(text) => text.clone(),
        Block::Image { media_type, .. } => format!("[image {media_type}]"),
        Block::ToolUse { name, input, .. } => {
            format!("{name} {}", serde_json::Value::Object(input.clone()))
        }
        Block::ToolResult { content, is_error, .. } => {
            format!("{}{}", if *is_error { "error: " } else { "" }, blocks(content))
        }
        Block::Thinking { text, .. } => text.clone(),
        Block::RedactedThinking { .. } => String::new(),
        Block::Other(value) => value.to_string(),
    };
    blocks_of.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn deltas(turn: &Turn, model: &str) -> Vec<Delta> {
    let mut blocks = Vec::new();
    if let Some(text) = &turn.thinking {
        blocks.push((Block::Thinking { text: String::new(), signature: String::new() }, text.clone()));
    }
    if let Some(text) = turn.text.clone().or_else(|| turn.json.as_ref().map(ToString::to_string)) {
        blocks.push((Block::Text(String::new()), text));
    }
    for (index, call) in turn.tool_uses.iter().enumerate() {
        let id = call.id.clone().unwrap_or_else(|| format!("call_{}", index + 1));
        blocks
            .push((Block::ToolUse { id, name: call.name.clone(), input: call.input.clone() }, String::new()));
    }
    let mut deltas = vec![Delta::Start { id: String::new(), model: model.to_owned() }];
    for (index, (block, text)) in blocks.into_iter().enumerate() {
        let thinking = matches!(block, Block::Thinking { .. });
        deltas.push(Delta::BlockStart { index, block });
        deltas.extend(text.split_inclusive(' ').map(str::to_owned).map(|text| match thinking {
            true => Delta::Thinking { index, text },
            false => Delta::Text { index, text },
        }));
        deltas.push(Delta::BlockStop { index });
    }
    deltas.push(Delta::Usage(turn.usage.into()));
    let natural = if turn.tool_uses.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    deltas.push(Delta::Stop(turn.stop.map_or(natural, StopReason::from)));
    deltas
}

fn endless_text() -> BoxStream<'static, Result<Delta, ModelError>> {
    let start = Delta::BlockStart { index: 0, block: Block::Text(String::new()) };
    let pieces = stream::unfold((), |()| async {
        tokio::time::sleep(PIECE_EVERY).await;
        Some((Ok(Delta::Text { index: 0, text: "and so on ".to_owned() }), ()))
    });
    stream::iter([Ok(start)]).chain(pieces).boxed()
}
