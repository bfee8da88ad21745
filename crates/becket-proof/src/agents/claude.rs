//! Claude Code.

use super::KEY;
use crate::{AgentDriver, AskAnswer, Launch, Scratch, TerminalDriver, ToolCall};
use serde_json::json;

pub(super) const CLAUDE: AgentDriver = AgentDriver {
    name: "claude",
    main_tool: Some("Bash"),
    launch,
    shell: |command| ToolCall::object("Bash", json!({"command": command, "description": "a command"})),
    write: |path, text| ToolCall::object("Write", json!({"file_path": path, "content": text})),
};

pub(super) const CLAUDE_TERMINAL: TerminalDriver = TerminalDriver {
    name: "claude",
    launch: |scratch| {
        let trusted = json!({scratch.project.to_string_lossy(): {"hasTrustDialogAccepted": true}});
        // The agent asks nothing at the start.
        let state = json!({
            "hasCompletedOnboarding": true, "theme": "dark", "projects": trusted,
            "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        });
        let launch = Launch::default().json(".claude.json".into(), &state);
        with_model(launch, scratch).arguments(["--permission-mode", "default", "--setting-sources", "user"])
    },
    main_tool: CLAUDE.main_tool,
    ready: "❯",
    ask: AskAnswer::Keys { yes: &["1", "Enter"], no: &["2", "Enter"] },
    shell: CLAUDE.shell,
    subagent: |prompt| {
        let input = json!({"description": "a task", "prompt": prompt, "subagent_type": "general-purpose"});
        ToolCall::object("Agent", input)
    },
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    with_model(Launch::default(), scratch).arguments([
        "-p",
        prompt,
        "--output-format",
        "stream-json",
        "--verbose",
        "--dangerously-skip-permissions",
        // The hooks of the project are left to Becket.
        "--setting-sources",
        "user",
    ])
}

fn with_model(launch: Launch, scratch: &Scratch<'_>) -> Launch {
    launch.variables([
        ("ANTHROPIC_API_KEY", KEY),
        ("ANTHROPIC_BASE_URL", scratch.model),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ])
}
