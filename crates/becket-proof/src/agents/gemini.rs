//! Gemini CLI.

use super::KEY;
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::json;

pub(super) const GEMINI: AgentDriver = AgentDriver {
    name: "gemini",
    main_tool: None,
    launch,
    shell: |command| {
        ToolCall::object("run_shell_command", json!({"command": command, "description": "a command"}))
    },
    write: |path, text| ToolCall::object("write_file", json!({"file_path": path, "content": text})),
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        "general": {"enableAutoUpdate": false, "disableAutoUpdate": true, "disableUpdateNag": true},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    });
    Launch::default()
        .json(".gemini/settings.json".into(), &settings)
        .variables([
            ("GEMINI_API_KEY", KEY),
            ("GOOGLE_GEMINI_BASE_URL", scratch.model),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ("GEMINI_TELEMETRY_ENABLED", "false"),
            ("GEMINI_CLI_NO_RELAUNCH", "true"),
        ])
        .arguments(["-m", "gemini-2.5-pro", "--yolo", "-o", "stream-json", "-p", prompt])
}
