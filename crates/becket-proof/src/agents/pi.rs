//! pi.

use super::{KEY, MODEL};
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::json;

pub(super) const PI: AgentDriver = AgentDriver {
    name: "pi",
    main_tool: None,
    launch,
    shell: |command| ToolCall::object("bash", json!({"command": command})),
    write: |path, text| ToolCall::object("write", json!({"path": path, "content": text})),
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    let model = json!({
        "id": MODEL, "name": "mock", "reasoning": false, "input": ["text"], "contextWindow": 100_000,
        "maxTokens": 8_000, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    });
    let provider = json!({
        "baseUrl": scratch.at("/v1"), "apiKey": KEY, "api": "openai-completions", "models": [model],
    });
    Launch::default()
        .json(".pi/agent/models.json".into(), &json!({"providers": {"mock": provider}}))
        .variables([("PI_OFFLINE", "1"), ("PI_SKIP_VERSION_CHECK", "1"), ("PI_TELEMETRY", "0")])
        .arguments(["--provider", "mock", "--model", MODEL, "-p", prompt])
}
