//! Kilo, a fork of opencode.

use super::opencode;
use crate::{AgentDriver, Launch, Scratch};
use serde_json::json;

pub(super) const KILO: AgentDriver =
    AgentDriver { name: "kilo", main_tool: None, launch, shell: opencode::shell, write: opencode::write };

fn launch(scratch: &Scratch<'_>, prompt: &str) -> Launch {
    opencode::configured(scratch, "kilo.json", json!({"bash": "allow", "edit": "allow"}))
        .variables([
            ("KILO_DISABLE_AUTOUPDATE", "1"),
            ("KILO_DISABLE_MODELS_FETCH", "1"),
            ("KILO_TELEMETRY_LEVEL", "off"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        ])
        .arguments(["run", "-m", "mock/mock-model", "--auto", prompt])
}
