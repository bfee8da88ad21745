//! The body of a request in the API's format.

use super::block::to_wire;
use super::dialect::{Dialect, StructuredMode};
use crate::message::{Message, Role};
use crate::request::{Output, PromptCaching, Request, ToolChoice};
use serde_json::{Map, Value, json};

/// Returns the body of `POST /v1/messages`.
pub(super) fn body(model: &str, request: &Request, dialect: Dialect, stream: bool) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("max_tokens".into(), request.max_tokens.into());
    let mut messages: Vec<Value> = request.messages.iter().filter_map(message).collect();
    let caching = request.caching == PromptCaching::Conversation && dialect.caching;
    if let Some(system) = request.system.as_deref().filter(|system| !system.trim().is_empty()) {
        let mut text = json!({"type": "text", "text": system});
        if caching {
            mark(&mut text);
        }
        body.insert("system".into(), json!([text]));
    }
    if caching && let Some(last) = messages.last_mut().and_then(last_block) {
        mark(last);
    }
    body.insert("messages".into(), Value::Array(messages));
    tools(&mut body, request, dialect);
    if caching && !body.contains_key("system") {
        // A cache mark on the system prompt covers the tools, which come before it.
        body.get_mut("tools")
            .and_then(Value::as_array_mut)
            .and_then(|tools| tools.last_mut())
            .into_iter()
            .for_each(mark);
    }
    let (mut thinking, effort) = dialect.thinking(request.thinking);
    if let (Some(thinking), Some(display)) = (&mut thinking, request.thinking_display)
        && thinking["type"] != "disabled"
    {
        thinking["display"] = display.as_str().into();
    }
    body.extend(thinking.map(|thinking| ("thinking".to_owned(), thinking)));
    output_config(&mut body, request, dialect, dialect.effort(request.effort, effort));
    if let Some(temperature) = request.widened_temperature().filter(|_| dialect.temperature) {
        body.insert("temperature".into(), temperature.into());
    }
    if !request.stop.is_empty() {
        body.insert("stop_sequences".into(), json!(request.stop));
    }
    if stream {
        body.insert("stream".into(), Value::Bool(true));
    }
    Value::Object(body)
}

/// Returns the name of the tool that carries structured output, if one does.
pub(super) fn forced_tool(request: &Request, dialect: Dialect) -> Option<&str> {
    match (&request.output, dialect.structured) {
        (Output::Json { name, .. }, StructuredMode::ForcedTool) => Some(name),
        (Output::Json { .. } | Output::Text, _) => None,
    }
}

fn message(message: &Message) -> Option<Value> {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let content: Vec<Value> = message.content.iter().filter_map(to_wire).collect();
    (!content.is_empty()).then(|| json!({"role": role, "content": content}))
}

fn tools(body: &mut Map<String, Value>, request: &Request, dialect: Dialect) {
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}))
        .collect();
    let mut choice = match &request.tool_choice {
        _ if tools.is_empty() => None,
        ToolChoice::Auto => None,
        ToolChoice::Any => Some(json!({"type": "any"})),
        ToolChoice::None => Some(json!({"type": "none"})),
        ToolChoice::Tool(name) => Some(json!({"type": "tool", "name": name})),
    };
    if let (Output::Json { name, schema }, StructuredMode::ForcedTool) = (&request.output, dialect.structured)
    {
        let description = "Gives the final answer; call it once.";
        // If the request has tools of its own, the model must be free to use those first.
        choice = Some(if tools.is_empty() {
            json!({"type": "tool", "name": name})
        } else {
            json!({"type": "any"})
        });
        tools.push(json!({"name": name, "description": description, "input_schema": schema}));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), Value::Array(tools));
    }
    body.extend(choice.map(|choice| ("tool_choice".to_owned(), choice)));
}

fn output_config(body: &mut Map<String, Value>, request: &Request, dialect: Dialect, effort: Option<&str>) {
    let mut config = Map::new();
    if let (Output::Json { schema, .. }, StructuredMode::Native) = (&request.output, dialect.structured) {
        config.insert("format".into(), json!({"type": "json_schema", "schema": schema}));
    }
    config.extend(effort.map(|effort| ("effort".to_owned(), Value::from(effort))));
    if let Some(total) = request.task_budget.filter(|_| dialect.task_budget) {
        config.insert("task_budget".into(), json!({"type": "tokens", "total": total}));
    }
    if !config.is_empty() {
        body.insert("output_config".into(), Value::Object(config));
    }
}

/// Returns the last block of a message that can be marked for caching.
fn last_block(message: &mut Value) -> Option<&mut Value> {
    let blocks = message.get_mut("content")?.as_array_mut()?;
    let may_be_marked =
        |block: &&mut Value| !block["type"].as_str().is_some_and(|kind| kind.contains("thinking"));
    blocks.iter_mut().rev().find(may_be_marked)
}

fn mark(block: &mut Value) {
    if let Some(block) = block.as_object_mut() {
        block.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
}
