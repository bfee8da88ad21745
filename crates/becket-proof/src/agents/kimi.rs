//! Kimi Code.

use super::{KEY, MODEL};
use crate::{AgentDriver, Launch, Scratch, ToolCall};
use serde_json::json;

pub(super) const KIMI: AgentDriver = AgentDriver {
    name: "kimi",
    main_tool: None,
    launch,
    shell: |command| ToolCall::object("Bash", json!({"command": command})),
    write: |path, text| ToolCall::object("Write", json!({"path": path, "content": text})),
};

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    let url = scratch.at("/v1");
    let config = format!(
        "default_model = \"mock\"\ntelemetry = false\n\n\
         [providers.mock]\ntype = \"openai\"\nbase_url = \"{url}\"\napi_key = \"{KEY}\"\n\n\
         [models.mock]\nprovider = \"mock\"\nmodel = \"{MODEL}\"\nmax_context_size = 100000\n\n"
    );
    Launch::default()
        .text(".kimi-code/config.toml".into(), config)
        .variables([
            ("KIMI_DISABLE_TELEMETRY", "1"),
            ("KIMI_CLI_NO_AUTO_UPDATE", "1"),
            ("KIMI_CODE_NO_AUTO_UPDATE", "1"),
        ])
        .arguments(["-p", prompt])
}
