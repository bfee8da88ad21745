//! Conversion of a request to `genai` types.

use crate::message::{Block, Message, Role};
use crate::request::{Effort, Output, Request, Thinking, ToolChoice};
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatRole, ContentPart, JsonSpec, MessageContent, ReasoningEffort,
    Tool, ToolCall, ToolResponse,
};
use serde_json::Value;
use std::time::Duration;

/// Returns the conversation and its tools.
pub(super) fn chat(request: &Request) -> ChatRequest {
    let mut chat = ChatRequest::new(request.messages.iter().flat_map(messages).collect());
    if let Some(system) = &request.system {
        chat = chat.with_system(system.clone());
    }
    if !request.tools.is_empty() {
        chat = chat.with_tools(request.tools.iter().map(|tool| {
            Tool::new(tool.name.as_str())
                .with_description(tool.description.clone())
                .with_schema(tool.input_schema.clone())
        }));
    }
    chat
}

/// Returns the options of an answer, with the limit on silence.
pub(super) fn options(request: &Request, kind: AdapterKind, model: &str, idle: Duration) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_max_tokens(request.max_tokens)
        .with_capture_usage(true)
        .with_capture_tool_calls(true)
        .with_stop_sequences(request.stop.clone())
        .with_stream_header_timeout(idle)
        .with_stream_read_timeout(idle);
    if let Some(temperature) = request.widened_temperature() {
        options = options.with_temperature(temperature);
    }
    if let Output::Json { name, schema } = &request.output {
        options = options.with_response_format(JsonSpec::new(name.clone(), schema.clone()));
    }
    if let Some(choice) = tool_choice(request) {
        options = options.with_tool_choice(choice);
    }
    match reasoning(request, kind, model) {
        Some(effort) => options.with_reasoning_effort(effort),
        None => options,
    }
}

/// Returns the setting for thinking: `genai` has a single one for effort and budget.
fn reasoning(request: &Request, kind: AdapterKind, model: &str) -> Option<ReasoningEffort> {
    let effort = request.effort.map(|effort| match effort {
        Effort::Low => ReasoningEffort::Low,
        Effort::Medium => ReasoningEffort::Medium,
        Effort::High => ReasoningEffort::High,
        Effort::XHigh => ReasoningEffort::XHigh,
        Effort::Max => ReasoningEffort::Max,
    });
    match request.thinking {
        Thinking::Off => thinking_off(kind, model).or(effort),
        Thinking::Budget(tokens) if takes_tokens(kind) => Some(ReasoningEffort::Budget(tokens)),
        Thinking::Budget(_) | Thinking::Adaptive | Thinking::Default => effort,
    }
}

fn takes_tokens(kind: AdapterKind) -> bool {
    matches!(kind, AdapterKind::Gemini | AdapterKind::Vertex)
}

/// Returns the settings of a request that are not sent.
pub(super) fn ignored(request: &Request, kind: AdapterKind) -> Vec<&'static str> {
    let is_budget = matches!(request.thinking, Thinking::Budget(_));
    let all = [
        ("thinking", request.thinking == Thinking::Adaptive || is_budget && !takes_tokens(kind)),
        ("thinking_display", request.thinking_display.is_some()),
        ("effort", request.effort.is_some() && is_budget && takes_tokens(kind)),
        ("task_budget", request.task_budget.is_some()),
    ];
    all.into_iter().filter(|(_, is_ignored)| *is_ignored).map(|(name, _)| name).collect()
}

fn tool_choice(request: &Request) -> Option<genai::chat::ToolChoice> {
    match &request.tool_choice {
        _ if request.tools.is_empty() => None,
        ToolChoice::Auto => None,
        ToolChoice::Any => Some(genai::chat::ToolChoice::Required),
        ToolChoice::None => Some(genai::chat::ToolChoice::None),
        ToolChoice::Tool(name) => Some(genai::chat::ToolChoice::tool(name.clone())),
    }
}

/// Returns the setting that turns thinking off, for models on which it is on by default and can be turned off. Others
/// get none: many models reject the setting.
#[expect(clippy::wildcard_enum_match_arm, reason = "an enum of another crate")]
fn thinking_off(kind: AdapterKind, model: &str) -> Option<ReasoningEffort> {
    match kind {
        AdapterKind::Gemini if model.contains("flash") => Some(ReasoningEffort::Budget(0)),
        AdapterKind::Ollama | AdapterKind::OllamaCloud => Some(ReasoningEffort::Zero),
        _ => None,
    }
}

/// Converts a message: if it contains tool results, `genai` needs several messages.
fn messages(message: &Message) -> Vec<ChatMessage> {
    match message.role {
        Role::Assistant => vec![chat_message(ChatRole::Assistant, &message.content)],
        Role::User => {
            let is_result = |block: &&Block| matches!(block, Block::ToolResult { .. });
            let (results, rest): (Vec<&Block>, Vec<&Block>) = message.content.iter().partition(is_result);
            let results: Vec<ToolResponse> = results.into_iter().filter_map(result).collect();
            let mut messages = Vec::new();
            if !results.is_empty() {
                messages.push(ChatMessage::tool(MessageContent::from_tool_responses(results)));
            }
            if !rest.is_empty() {
                messages.push(chat_message(ChatRole::User, rest));
            }
            messages
        }
    }
}

fn chat_message<'a>(role: ChatRole, blocks: impl IntoIterator<Item = &'a Block>) -> ChatMessage {
    let parts: Vec<ContentPart> = blocks.into_iter().flat_map(parts).collect();
    ChatMessage::new(role, MessageContent::from_parts(parts))
}

fn parts(block: &Block) -> Vec<ContentPart> {
    match block {
        Block::Text(text) => vec![ContentPart::from_text(text.clone())],
        Block::Image { media_type, data } => {
            vec![ContentPart::from_binary_base64(media_type.clone(), data.as_str(), None)]
        }
        Block::ToolUse { id, name, input } => vec![ContentPart::ToolCall(ToolCall {
            call_id: id.clone(),
            fn_name: name.clone(),
            fn_arguments: Value::Object(input.clone()),
            thought_signatures: None,
        })],
        Block::Thinking { text, signature } => {
            let signature = (!signature.is_empty()).then(|| ContentPart::ThoughtSignature(signature.clone()));
            let text = (!text.is_empty()).then(|| ContentPart::ReasoningContent(text.clone()));
            signature.into_iter().chain(text).collect()
        }
        // Results are separate messages; the rest belongs to another provider.
        Block::ToolResult { .. } | Block::RedactedThinking { .. } | Block::Other(_) => Vec::new(),
    }
}

/// Returns the result of a tool as text. `genai` has no field for a failed tool, so the text says it.
fn result(block: &Block) -> Option<ToolResponse> {
    let Block::ToolResult { tool_use_id, content, is_error } = block else { return None };
    let mut text = content.iter().map(shown).collect::<Vec<_>>().join("\n");
    if *is_error {
        text = format!("Error: {text}");
    }
    Some(ToolResponse::new(tool_use_id.clone(), text))
}

fn shown(block: &Block) -> String {
    match block {
        Block::Text(text) => text.clone(),
        Block::Image { media_type, .. } => format!("[an image of type {media_type}]"),
        Block::Other(value) => value.to_string(),
        Block::ToolUse { .. }
        | Block::ToolResult { .. }
        | Block::Thinking { .. }
        | Block::RedactedThinking { .. } => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_tools_become_messages_of_their_own_and_failures_words() {
        let result = |id: &str, text: &str, is_error| Block::ToolResult {
            tool_use_id: id.into(),
            content: vec![Block::Text(text.into())],
            is_error,
        };
        let content = vec![result("1", "fine", false), result("2", "no", true), Block::Text("go on".into())];
        let messages = messages(&Message { role: Role::User, content });
        assert_eq!(messages.len(), 2);
        let responses = messages[0].content.tool_responses();
        let texts: Vec<_> = responses.iter().map(|response| response.content.as_str()).collect();
        assert_eq!((&messages[0].role, texts), (&ChatRole::Tool, vec!["fine", "Error: no"]));
        assert_eq!((&messages[1].role, messages[1].content.first_text()), (&ChatRole::User, Some("go on")));
    }

    #[test]
    fn effort_and_tokens_are_one_setting_and_what_is_not_sent_is_named() {
        let request = Request {
            thinking: Thinking::Budget(500),
            effort: Some(Effort::Low),
            task_budget: Some(1),
            ..Request::user("?")
        };
        let of = |kind| (reasoning(&request, kind, "m"), ignored(&request, kind));
        assert!(matches!(of(AdapterKind::OpenAI).0, Some(ReasoningEffort::Low)));
        assert_eq!(of(AdapterKind::OpenAI).1, ["thinking", "task_budget"]);
        assert!(matches!(of(AdapterKind::Gemini).0, Some(ReasoningEffort::Budget(500))));
        assert_eq!(of(AdapterKind::Gemini).1, ["effort", "task_budget"]);
        assert_eq!(ignored(&Request::user("?"), AdapterKind::OpenAI), Vec::<&str>::new());
    }

    // rule: H7
    #[test]
    fn thinking_is_turned_off_where_it_can_be() {
        assert!(thinking_off(AdapterKind::Gemini, "gemini-2.5-flash").is_some());
        assert!(thinking_off(AdapterKind::Gemini, "gemini-2.5-pro").is_none());
        assert!(thinking_off(AdapterKind::OpenAI, "gpt-4o").is_none());
    }
}
