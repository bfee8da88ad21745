//! Copilot CLI.

use super::{KEY, MODEL};
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::json;

pub(super) const COPILOT: AgentDriver = AgentDriver {
    name: "copilot",
    main_tool: None,
    launch,
    shell: |command| {
        ToolCall::object("bash", json!({"command": command, "description": "a command", "mode": "sync"}))
    },
    write: |path, text| ToolCall::object("create", json!({"path": path, "file_text": text})),
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    let config = json!({"trusted_folders": [scratch.project], "banner": "never"});
    Launch::default()
        .json(".copilot/config.json".into(), &config)
        .variables([
            ("COPILOT_HOME", &scratch.home.join(".copilot").to_string_lossy()),
            ("COPILOT_PROVIDER_BASE_URL", &scratch.at("/v1")),
            ("COPILOT_PROVIDER_TYPE", "openai"),
            ("COPILOT_PROVIDER_API_KEY", KEY),
            ("COPILOT_PROVIDER_WIRE_API", "completions"),
            ("COPILOT_MODEL", MODEL),
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_AUTO_UPDATE", "false"),
        ])
        .arguments(["--no-auto-update", "--allow-all-tools", "--allow-all-paths", "-p", prompt])
}
