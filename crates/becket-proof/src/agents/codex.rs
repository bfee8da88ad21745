//! Codex.

use super::KEY;
use crate::{AgentDriver, Launch, Scratch, ToolCall};
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

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    let Scratch { home, project, model } = scratch;
    let (codex_home, project) = (home.join(".codex"), project.display());
    // A model that it knows has its tool for patches.
    let config = format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"mock\"\napproval_policy = \"never\"\n\
         sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\n\
         [analytics]\nenabled = false\n\n[feedback]\nenabled = false\n\n\
         [model_providers.mock]\nname = \"mock\"\nbase_url = \"{model}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"OPENAI_API_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
         supports_websockets = false\n\n[projects.\"{project}\"]\ntrust_level = \"trusted\"\n"
    );
    Launch::default()
        .text(codex_home.join("config.toml"), config)
        .variables([("OPENAI_API_KEY", KEY), ("CODEX_HOME", &codex_home.to_string_lossy())])
        .arguments([
            "exec",
            "--json",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            "--dangerously-bypass-hook-trust",
            prompt,
        ])
}
