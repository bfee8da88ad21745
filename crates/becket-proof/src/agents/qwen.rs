//! Qwen Code.

use super::{KEY, MODEL};
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::json;

pub(super) const QWEN: AgentDriver = AgentDriver {
    name: "qwen",
    main_tool: None,
    launch,
    shell: |command| {
        let input = json!({"command": command, "description": "a command", "is_background": false});
        ToolCall::object("run_shell_command", input)
    },
    write: |path, text| ToolCall::object("write_file", json!({"file_path": path, "content": text})),
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    let settings = json!({
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
        "general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "model": {"name": MODEL},
    });
    Launch::default()
        .json(".qwen/settings.json".into(), &settings)
        .variables([
            ("OPENAI_API_KEY", KEY),
            ("OPENAI_BASE_URL", &scratch.at("/v1")),
            ("OPENAI_MODEL", MODEL),
            ("QWEN_TELEMETRY_ENABLED", "false"),
        ])
        .arguments(["--yolo", "-o", "stream-json", "-p", prompt])
}
