//! The use of the model's context window.

use super::open::Agent;
use becket_llm::ToolSpec;

/// The size of a request, in tokens: as reported by the provider with the last answer, plus an estimate for everything
/// since.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextUse {
    /// The total size.
    pub total: u64,
    /// The size of the model's context window.
    pub window: u64,
    /// The size from which on the conversation is compacted.
    pub compacts_at: u64,
    /// The estimated size of the system prompt.
    pub system: u64,
    /// The name of each tool, with the estimated size of its description.
    pub tools: Vec<(String, u64)>,
    /// The size of the conversation: the rest of the total.
    pub messages: u64,
}

impl Agent {
    /// Returns the use of the context window as of the last request; does not wait for a running turn.
    #[must_use]
    pub fn context(&self) -> ContextUse {
        let offered = self.shared.engine.host().offered_tools(&self.toolbox);
        let tools: Vec<(String, u64)> =
            offered.into_iter().map(|tool| (tool.name.clone(), size(&tool))).collect();
        let of_tools: u64 = tools.iter().map(|(_, tokens)| tokens).sum();
        let system = guessed(self.system_bytes);
        let (tokens, is_whole) = self.shared.context.last();
        // A size reported by a provider includes everything that was sent.
        let total = if is_whole { tokens } else { tokens + system + of_tools };
        let messages = total.saturating_sub(system + of_tools);
        let window = self.shared.window(&*self.model());
        ContextUse { total, window: window.tokens(), compacts_at: window.full_at(), system, tools, messages }
    }
}

/// Estimates tokens: four bytes each.
fn guessed(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

fn size(tool: &ToolSpec) -> u64 {
    let schema = serde_json::to_string(&tool.input_schema).map_or(0, |text| text.len());
    guessed(tool.name.len() + tool.description.len() + schema)
}
