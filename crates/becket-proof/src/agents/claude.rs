//! Claude Code.

use super::KEY;
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::json;

pub(super) const CLAUDE: AgentDriver = AgentDriver {
    name: "claude",
    main_tool: Some("Bash"),
    launch,
    shell: |command| ToolCall::object("Bash", json!({"command": command, "description": "a command"})),
    write: |path, text| ToolCall::object("Write", json!({"file_path": path, "content": text})),
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    Launch::default()
        .variables([
            ("ANTHROPIC_API_KEY", KEY),
            ("ANTHROPIC_BASE_URL", scratch.model),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
        ])
        .arguments([
            "-p",
            prompt,
            "--output-format",
            "stream-json",
            "--verbose",
            "--dangerously-skip-permissions",
            // The hooks of the project are Becket's to run.
            "--setting-sources",
            "user",
        ])
}
