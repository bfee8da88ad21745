//! The environment files of an event's hooks, passed on to the agent that has Becket as its hook (H12).

use crate::ProcessContext;
use becket_engine::Engine;
use becket_model::Event;
use std::io::Write;
use std::path::Path;

/// The variable in which Claude Code, and agents that follow it, name the file.
const VARIABLE: &str = "CLAUDE_ENV_FILE";

/// Appends the content of the hooks' files to the agent's own file, if it names one. A failure loses variables, which
/// decide nothing.
pub(crate) fn hand_on(engine: &Engine, event: &Event, process: &ProcessContext) {
    let Some(file) = process.var(VARIABLE).filter(|_| event.kind().spec().env_file) else { return };
    let texts: Vec<Vec<u8>> = engine
        .host()
        .env_files(&event.session.id)
        .iter()
        .filter_map(|file| std::fs::read(file).ok())
        .collect();
    if texts.iter().all(Vec::is_empty) {
        return;
    }
    if let Ok(mut to) = std::fs::File::options().append(true).create(true).open(Path::new(file)) {
        // A text without a final newline would run into the next one.
        let _lost = texts.iter().try_for_each(|text| to.write_all(text).and_then(|()| to.write_all(b"\n")));
    }
}
