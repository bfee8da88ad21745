//! Shared parts of the tests of `prompt` and `agent` handlers: models that follow a script, tools that record their
//! calls, and a server that speaks the Messages API badly.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod agent;
mod server;
mod tools;

pub(crate) use agent::{Agent, log_to, logged, use_tool, verdict};
pub(crate) use server::{Server, overloaded, refusal, sse};
pub(crate) use tools::FakeTools;

use crate::common::Project;
use becket_engine::Outcome;
use becket_llm::Delta;
use becket_llm::{
    Block, Capabilities, Message, Model, ModelError, ModelSpec, Models, Price, Request, Script, ScriptedModel,
};
use becket_model::Event;
use futures_util::stream::BoxStream;
use serde_json::{Value, json};
use std::sync::Arc;

/// One scripted model under every name but `unknown`.
pub(crate) struct Host {
    pub(crate) model: Arc<ScriptedModel>,
    price: Option<Price>,
}

/// A scripted model with a price.
struct PricedModel {
    model: Arc<ScriptedModel>,
    price: Price,
}

impl Model for PricedModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<Delta, ModelError>> {
        self.model.stream(request)
    }

    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec { price: Some(self.price), ..ModelSpec::default() }
    }
}

impl Models for Host {
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, ModelError> {
        if name == Some("unknown") {
            let message = "there is none".to_owned();
            return Err(ModelError::UnknownModel { name: "unknown".into(), message });
        }
        Ok(match self.price {
            Some(price) => Arc::new(PricedModel { model: self.model.clone(), price }),
            None => self.model.clone(),
        })
    }
}

/// Returns a model that follows a script, as JSON.
pub(crate) fn scripted(script: Value) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(Script::from_text(&script.to_string(), "script").unwrap()))
}

/// Returns a model with these turns.
pub(crate) fn turns(turns: Value) -> Arc<ScriptedModel> {
    scripted(json!({ "turns": turns }))
}

pub(crate) fn host(model: &Arc<ScriptedModel>) -> Host {
    Host { model: model.clone(), price: None }
}

pub(crate) fn priced(model: &Arc<ScriptedModel>, price: Price) -> Host {
    Host { model: model.clone(), price: Some(price) }
}

/// Returns the settings of one handler on an event.
pub(crate) fn hook(event: &str, handler: Value) -> Value {
    json!({ "hooks": { event: [{ "hooks": [handler] }] } })
}

pub(crate) fn prompt_hook(text: &str) -> Value {
    json!({ "type": "prompt", "prompt": text })
}

pub(crate) fn agent_hook(text: &str) -> Value {
    json!({ "type": "agent", "prompt": text })
}

/// Returns the handler with these additional keys.
pub(crate) fn with(mut handler: Value, more: Value) -> Value {
    handler.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    handler
}

/// Returns all texts of a message, including results of tools.
pub(crate) fn text_of(message: &Message) -> String {
    fn text(block: &Block) -> String {
        match block {
            Block::Text(text) => text.clone(),
            Block::ToolResult { content, is_error, .. } => {
                let all: Vec<String> = content.iter().map(text).collect();
                format!("{}{}", if *is_error { "ERROR " } else { "" }, all.join("\n"))
            }
            Block::Image { .. }
            | Block::ToolUse { .. }
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::Other(_) => String::new(),
        }
    }
    message.content.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Returns the last message to the model.
pub(crate) fn last_told(model: &ScriptedModel) -> String {
    let requests = model.requests();
    text_of(requests.last().unwrap().request.messages.last().unwrap())
}

/// Returns the message of the only failure of an outcome.
pub(crate) fn failure(outcome: &Outcome) -> String {
    let mut failures: Vec<String> = outcome.verdict.unchecked().map(|said| said.what.to_string()).collect();
    assert_eq!(failures.len(), 1, "{:?}", outcome.verdict);
    failures.remove(0)
}

/// Returns an event from the input object that a hook would read.
pub(crate) fn event(project: &Project, kind: &str, fields: &Value) -> Event {
    let work = project.work();
    let mut input = json!({"session_id": "session-1", "transcript_path": work.join("transcript.jsonl"), "cwd": work,
        "hook_event_name": kind});
    input.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap());
    becket_model::wire::input::from_value(input).unwrap()
}
