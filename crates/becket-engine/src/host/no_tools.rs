//! The tools of a host without the feature `models`: none can be described, and any input is valid.

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

    pub(crate) fn requires_user(&self, _tool: &str) -> bool {
        false
    }
}
