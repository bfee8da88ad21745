//! Facts about a host's tools that an event does not hold: schemas, defaults, annotations.

use serde_json::{Map, Value};

/// A host's tools, as far as hooks are concerned. Every method has a default that knows nothing.
pub trait Tools: Send + Sync {
    /// Checks an input that a hook rewrote against the tool's schema (D9).
    ///
    /// # Errors
    /// What is wrong with the input, in words for the model.
    fn validate(&self, tool: &str, input: &Map<String, Value>) -> Result<(), String> {
        let _ = (tool, input);
        Ok(())
    }

    /// The defaults of the tool's schema; they are filled in before hooks see a call (N3).
    fn defaults(&self, tool: &str) -> Map<String, Value> {
        let _ = tool;
        Map::new()
    }

    /// Returns whether a person has to answer this tool's prompts, as an MCP tool declares by
    /// `anthropic/requiresUserInteraction`: no hook's allow passes it (D3).
    fn requires_user_interaction(&self, tool: &str) -> bool {
        let _ = tool;
        false
    }
}

/// A host that says nothing of its tools.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnknownTools;

impl Tools for UnknownTools {}
