//! The facts about a subagent next to its transcript, where SDKs look up the call that started it.

use serde::Serialize;

/// The content of `agent-<id>.meta.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentMetadata {
    /// The name of the definition.
    pub(crate) agent_type: String,
    /// A short description of the task.
    pub(crate) description: String,
    /// The call that started the subagent.
    pub(crate) tool_use_id: String,
}

/// The metadata as an entry of a mirrored transcript.
#[derive(Debug, Serialize)]
pub(super) struct MirroredMetadata<'a> {
    r#type: &'static str,
    #[serde(flatten)]
    metadata: &'a AgentMetadata,
}

impl<'a> From<&'a AgentMetadata> for MirroredMetadata<'a> {
    fn from(metadata: &'a AgentMetadata) -> Self {
        MirroredMetadata { r#type: "agent_metadata", metadata }
    }
}
