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

use crate::AgentDriver;

/// The key of every model: a server that is scripted wants none, but agents do.
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
