//! Cline CLI.

use super::{KEY, MODEL};
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::json;

pub(super) const CLINE: AgentDriver = AgentDriver {
    name: "cline",
    main_tool: None,
    launch,
    shell: |command| ToolCall::object("run_commands", json!({"commands": [command]})),
    write: |path, text| ToolCall::object("editor", json!({"path": path, "new_text": text})),
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    Launch::default()
        .variables([
            ("CLINE_DIR", &*scratch.home.join(".cline").to_string_lossy()),
            ("CLINE_TELEMETRY_DISABLED", "1"),
        ])
        .before(["auth", "-p", "openai", "-k", KEY, "-m", MODEL, "-b", &scratch.at("/v1")])
        // It interprets a prompt of one word as a command.
        .arguments(["--json", &format!("{prompt} now")])
}
