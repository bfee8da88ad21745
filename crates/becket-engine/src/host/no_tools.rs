//! The tools of a host without the feature `models`: none can be described, and any input is valid.

use becket_model::Session;
use becket_rules::shell::Line;
use serde_json::{Map, Value};

/// An empty set of tools: [`crate::Builder::tools`] needs the feature `models`.
#[derive(Debug, Clone, Default)]
pub struct ToolSet {
    _private: (),
}

impl ToolSet {
    pub(crate) fn check(&self, _tool: &str, _input: &Map<String, Value>) -> Result<(), String> {
        Ok(())
    }

    pub(crate) fn defaults(&self, _tool: &str) -> Map<String, Value> {
        Map::new()
    }

    pub(crate) fn enforces_rights(&self, _tool: &str) -> bool {
        false
    }

    pub(crate) fn harmless_commands(&self, _tool: &str, _session: &Session, _line: &Line) -> Vec<usize> {
        Vec::new()
    }

    pub(crate) fn requires_user(&self, _tool: &str) -> bool {
        false
    }
}
