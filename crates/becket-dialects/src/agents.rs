//! The dialects, one file each.

mod claude;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod hermes;
mod kilo;
mod kimi;
mod opencode;
mod pi;
mod plugin;
mod qwen;
mod windsurf;
mod words;

use crate::Dialect;

/// The dialects, in the order of the documentation.
pub static ALL: [&Dialect; 14] = [
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
    &cursor::CURSOR,
    &windsurf::WINDSURF,
];

/// Returns the dialect with this name.
pub fn dialect(name: &str) -> Option<&'static Dialect> {
    ALL.into_iter().find(|dialect| dialect.name == name)
}
