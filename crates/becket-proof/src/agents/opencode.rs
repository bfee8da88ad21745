//! opencode, and the code shared by its forks.

use super::{KEY, MODEL};
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::{Value, json};
use std::path::Path;

pub(super) const OPENCODE: AgentDriver =
    AgentDriver { name: "opencode", main_tool: None, launch, shell, write };

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    configured(scratch, "opencode.json", json!({"*": "allow"}))
        .variables([
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_SHARE", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        ])
        .arguments(["run", "-m", "mock/mock-model", prompt])
}

/// Returns the configuration of a project with the scripted model.
pub(super) fn configured(scratch: &Scratch<'_>, file: &str, permission: Value) -> Launch {
    let model = json!({"name": "mock", "tool_call": true, "limit": {"context": 100_000, "output": 8_000}});
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "mock",
        "options": {"baseURL": scratch.at("/v1"), "apiKey": KEY}, "models": {MODEL: model},
    });
    let config = json!({
        "autoupdate": false, "share": "disabled", "permission": permission, "provider": {"mock": provider},
        "model": "mock/mock-model", "small_model": "mock/mock-model",
    });
    Launch::default().json(scratch.project.join(file), &config)
}

pub(super) fn shell(command: &str) -> ToolCall {
    ToolCall::object("bash", json!({"command": command, "description": "a command"}))
}

pub(super) fn write(path: &Path, text: &str) -> ToolCall {
    ToolCall::object("write", json!({"filePath": path, "content": text}))
}
