//! The drivers of all agents.

mod claude;
mod cline;
mod codex;
mod copilot;
mod droid;
mod gemini;
mod hermes;
mod kilo;
mod kimi;
mod opencode;
mod pi;
mod qwen;

use crate::{AcpDriver, AgentDriver, GatewayDriver, TerminalDriver};

/// The key of every model: a scripted server needs none, but agents do.
const KEY: &str = "not-a-key";
/// The name of the model.
const MODEL: &str = "mock-model";

/// All drivers.
pub const DRIVERS: [&AgentDriver; 12] = [
    &claude::CLAUDE,
    &codex::CODEX,
    &gemini::GEMINI,
    &qwen::QWEN,
    &copilot::COPILOT,
    &droid::DROID,
    &kimi::KIMI,
    &cline::CLINE,
    &hermes::HERMES,
    &opencode::OPENCODE,
    &kilo::KILO,
    &pi::PI,
];

/// Returns the driver of an agent by the name of its dialect.
pub fn driver(name: &str) -> Option<&'static AgentDriver> {
    DRIVERS.into_iter().find(|driver| driver.name == name)
}

/// Returns the driver of an agent behind the gateway by the name of its dialect.
pub fn gateway_driver(name: &str) -> Option<&'static GatewayDriver> {
    [&codex::CODEX_GATEWAY, &gemini::GEMINI_GATEWAY].into_iter().find(|driver| driver.name == name)
}

/// Returns the driver of an agent behind an ACP proxy by the name of its dialect.
pub fn acp_driver(name: &str) -> Option<&'static AcpDriver> {
    [&gemini::GEMINI_ACP].into_iter().find(|driver| driver.name == name)
}

/// Returns the driver of an agent at a terminal by the name of its dialect.
pub fn terminal_driver(name: &str) -> Option<&'static TerminalDriver> {
    let all = [&claude::CLAUDE_TERMINAL, &codex::CODEX_TERMINAL, &gemini::GEMINI_TERMINAL];
    all.into_iter().find(|driver| driver.name == name)
}
