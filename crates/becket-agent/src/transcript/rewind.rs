//! An earlier point of a session to continue from.

use super::line;
use super::load::object;
use super::store::StoreError;
use becket_llm::Object;
use serde_json::Value;
use std::path::Path;

/// The last message of a session that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindPoint {
    /// The UUID of the message.
    pub message: String,
    /// The UUID of the prompt whose turn is dropped; nothing but that turn may then follow.
    pub drops: Option<String>,
}

impl RewindPoint {
    /// Checks the point against the lines of a session.
    pub(super) fn check(&self, bytes: &[u8], path: &Path) -> Result<(), StoreError> {
        let lines: Vec<Object> =
            bytes.split(|byte| *byte == b'\n').filter_map(|line| object(line).ok()?).collect();
        let name = |line: &Object| line.get("uuid").and_then(Value::as_str).map(str::to_owned);
        let is_point = |line: &Object| name(line).as_ref() == Some(&self.message) && line::is_chained(line);
        let Some(at) = lines.iter().position(is_point) else {
            return Err(StoreError::NoMessage { uuid: self.message.clone(), path: path.to_owned() });
        };
        let Some(drops) = &self.drops else { return Ok(()) };
        let after = lines.iter().skip(at + 1).filter(|line| line::is_chained(line));
        let prompts: Vec<Option<String>> = after.filter(|line| line::is_prompt(line)).map(name).collect();
        match prompts.as_slice() {
            [Some(prompt)] if prompt == drops => Ok(()),
            _ => Err(StoreError::OtherTurns { drops: drops.clone(), found: prompts.len() }),
        }
    }
}
