//! Codex.

use super::KEY;
use crate::{
    AgentDriver, AskAnswer, GatewayCommand, GatewayDriver, GatewayTool, Launch, Scratch, TerminalDriver,
    ToolCall,
};
use serde_json::json;

pub(super) const CODEX: AgentDriver = AgentDriver {
    name: "codex",
    main_tool: None,
    launch,
    shell: |command| ToolCall::object("exec_command", json!({"cmd": command})),
    write: |path, text| {
        let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
        let path = path.display();
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n");
        ToolCall::text("apply_patch", patch)
    },
};

pub(super) const CODEX_GATEWAY: GatewayDriver = GatewayDriver {
    name: "codex",
    launch: |scratch, command, prompt| {
        // For a known model it defers MCP tools to a search.
        launch_with(scratch, "mock-model", &gateway(command), prompt)
    },
    call: |tool, input| {
        let tool = match tool {
            GatewayTool::Run => "shell__run",
            GatewayTool::Write => "shell__write",
        };
        ToolCall::object(tool, input).in_namespace("mcp__becket")
    },
};

pub(super) const CODEX_TERMINAL: TerminalDriver = TerminalDriver {
    name: "codex",
    launch: |scratch| {
        // For a known model it defers the tools for subagents, and asks at the start whether to use a newer one.
        configured(scratch, "mock-model", "")
            .arguments(["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"])
    },
    main_tool: Some("exec_command"),
    ready: "Ask Codex to do anything",
    ask: AskAnswer::AllowOnce,
    shell: CODEX.shell,
    subagent: |prompt| {
        let input = json!({"message": prompt});
        ToolCall::object("spawn_agent", input).in_namespace("multi_agent_v1")
    },
};

/// Returns the configuration of the gateway, with Codex's own tools off.
fn gateway(command: &GatewayCommand<'_>) -> String {
    let (program, arguments) = (json!(command.program), json!(command.arguments));
    format!(
        "\n[features]\nshell_tool = false\n\n\
         [mcp_servers.becket]\ncommand = {program}\nargs = {arguments}\n"
    )
}

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    // A known model has Codex's tool for patches.
    launch_with(scratch, "gpt-5.5", "", prompt)
}

fn launch_with(scratch: &Scratch<'_>, model_name: &str, more: &str, prompt: &str) -> Launch {
    configured(scratch, model_name, more).arguments([
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        prompt,
    ])
}

fn configured(scratch: &Scratch<'_>, model_name: &str, more: &str) -> Launch {
    let Scratch { home, project, model } = scratch;
    let (codex_home, project) = (home.join(".codex"), project.display());
    let config = format!(
        "model = \"{model_name}\"\nmodel_provider = \"mock\"\napproval_policy = \"never\"\n\
         sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\n\
         [analytics]\nenabled = false\n\n[feedback]\nenabled = false\n\n\
         [model_providers.mock]\nname = \"mock\"\nbase_url = \"{model}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"OPENAI_API_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
         supports_websockets = false\n\n[projects.\"{project}\"]\ntrust_level = \"trusted\"\n{more}"
    );
    Launch::default()
        .text(codex_home.join("config.toml"), config)
        .variables([("OPENAI_API_KEY", KEY), ("CODEX_HOME", &codex_home.to_string_lossy())])
}
