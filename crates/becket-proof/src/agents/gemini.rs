//! Gemini CLI.

use super::KEY;
use crate::{
    AcpDriver, AgentDriver, AskAnswer, GatewayDriver, GatewayTool, Launch, Scratch, TerminalDriver, ToolCall,
};
use serde_json::{Value, json};

pub(super) const GEMINI: AgentDriver = AgentDriver {
    name: "gemini",
    main_tool: None,
    launch,
    shell: |command| {
        ToolCall::object("run_shell_command", json!({"command": command, "description": "a command"}))
    },
    write: |path, text| ToolCall::object("write_file", json!({"file_path": path, "content": text})),
};

pub(super) const GEMINI_GATEWAY: GatewayDriver = GatewayDriver {
    name: "gemini",
    launch: |scratch, command, prompt| {
        let mut settings = settings();
        settings["tools"] = json!({"exclude": ["run_shell_command", "write_file", "replace"]});
        settings["mcpServers"] = json!({"becket": {"command": command.program, "args": command.arguments}});
        configured(scratch, &settings).arguments(of_prompt(prompt))
    },
    call: |tool, input| {
        let tool = match tool {
            GatewayTool::Run => "mcp_becket_shell__run",
            GatewayTool::Write => "mcp_becket_shell__write",
        };
        ToolCall::object(tool, input)
    },
};

pub(super) const GEMINI_ACP: AcpDriver = AcpDriver {
    name: "gemini",
    launch: |scratch| configured(scratch, &settings()).arguments(["-m", "gemini-2.5-pro", "--acp"]),
};

pub(super) const GEMINI_TERMINAL: TerminalDriver = TerminalDriver {
    name: "gemini",
    launch: |scratch| configured(scratch, &settings()).arguments(["-m", "gemini-2.5-pro", "--yolo"]),
    main_tool: None,
    ready: "Type your message",
    ask: AskAnswer::AllowOnce,
    shell: GEMINI.shell,
    subagent: |prompt| {
        ToolCall::object("invoke_agent", json!({"agent_name": "generalist", "prompt": prompt}))
    },
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    configured(scratch, &settings()).arguments(of_prompt(prompt))
}

/// Returns the arguments for one prompt, with every call allowed.
fn of_prompt(prompt: &str) -> [&str; 7] {
    ["-m", "gemini-2.5-pro", "--yolo", "-o", "stream-json", "-p", prompt]
}

fn settings() -> Value {
    json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        "general": {"enableAutoUpdate": false, "disableAutoUpdate": true, "disableUpdateNag": true},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    })
}

fn configured(scratch: &Scratch<'_>, settings: &Value) -> Launch {
    Launch::default().json(".gemini/settings.json".into(), settings).variables([
        ("GEMINI_API_KEY", KEY),
        ("GOOGLE_GEMINI_BASE_URL", scratch.model),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("GEMINI_TELEMETRY_ENABLED", "false"),
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ])
}
