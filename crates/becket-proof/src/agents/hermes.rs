//! Hermes.

use super::{KEY, MODEL};
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::json;

pub(super) const HERMES: AgentDriver = AgentDriver {
    name: "hermes",
    main_tool: None,
    launch,
    shell: |command| ToolCall::object("terminal", json!({"command": command})),
    write: |path, text| ToolCall::object("write_file", json!({"path": path, "content": text})),
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    let url = scratch.at("/v1");
    let config =
        format!("model:\n  provider: custom\n  default: {MODEL}\n  base_url: {url}\n  api_key: {KEY}\n");
    Launch::default()
        .text(".hermes/config.yaml".into(), config)
        .variables([
            ("HERMES_HOME", &*scratch.home.join(".hermes").to_string_lossy()),
            ("HERMES_ACCEPT_HOOKS", "1"),
            ("HERMES_DISABLE_UPDATE_CHECK", "1"),
            ("OPENAI_API_KEY", KEY),
            ("PYTHONDONTWRITEBYTECODE", "1"),
        ])
        .arguments(["chat", "-Q", "--yolo", "--accept-hooks", "-q", prompt])
}
