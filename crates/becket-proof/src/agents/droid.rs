//! Factory Droid.

use super::{KEY, MODEL};
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::json;

pub(super) const DROID: AgentDriver = AgentDriver {
    name: "droid",
    main_tool: None,
    launch,
    shell: |command| {
        let input = json!({"command": command, "riskLevel": "low", "riskLevelReason": "none", "summary": "a command"});
        ToolCall::object("Execute", input)
    },
    write: |path, text| ToolCall::object("Create", json!({"file_path": path, "content": text})),
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    let model = json!({
        "model": MODEL, "displayName": "mock", "baseUrl": scratch.at("/v1"), "apiKey": KEY,
        "provider": "generic-chat-completion-api", "maxOutputTokens": 8000,
    });
    let settings = json!({"customModels": [model], "enableTelemetry": false, "cloudSessionSync": false});
    Launch::default()
        .json(".factory/settings.json".into(), &settings)
        .variables([
            ("FACTORY_API_KEY", "fk-not-a-key"),
            ("FACTORY_API_BASE_URL", scratch.model),
            ("FACTORY_DROID_AUTO_UPDATE_ENABLED", "false"),
            ("DROID_DISABLE_AUTO_UPDATE", "1"),
            ("FACTORY_TELEMETRY", "off"),
        ])
        .arguments(["exec", "--auto", "high", "-m", "custom:mock-model", prompt])
}
