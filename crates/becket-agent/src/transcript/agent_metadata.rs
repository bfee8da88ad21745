//! The facts of a subagent beside its transcript, where SDKs look for the call that started it.

use serde::Serialize;

/// The content of `agent-<id>.meta.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentMetadata {
    /// The name of its definition.
    pub(crate) agent_type: String,
    /// Its task in a few words.
    pub(crate) description: String,
    /// The call that started it.
    pub(crate) tool_use_id: String,
}

/// The same as the entry of a mirrored transcript.
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
