//! Events about the context: instructions, compaction, display, models; one struct per event, fields in wire order.
//!
//! Text whose set of values is open (a `source`, a `reason`) stays a `String`: a host may send values that are newer than this crate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file with instructions has entered the context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct InstructionsLoaded {
    /// The file.
    pub file_path: String,
    /// `User`, `Project`, `Local` or `Managed`.
    pub memory_type: String,
    /// The reason why it was loaded.
    pub load_reason: String,
    /// The path patterns that caused it to be loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub globs: Option<Vec<String>>,
    /// The file whose access caused it to be loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_file_path: Option<String>,
    /// The file that includes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_file_path: Option<String>,
}

/// The conversation is about to be compacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PreCompact {
    /// The cause of the compaction: `manual` or `auto`.
    pub trigger: String,
    /// The user's instructions for the summary; null if there are none.
    pub custom_instructions: Option<String>,
}

/// The conversation has been compacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PostCompact {
    /// The cause of the compaction: `manual` or `auto`.
    pub trigger: String,
    /// The summary as the model wrote it.
    pub compact_summary: String,
}

/// The model's text is about to be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MessageDisplay {
    /// The id of the turn.
    pub turn_id: String,
    /// The id of the message.
    pub message_id: String,
    /// The number of the batch in its message, from 0.
    pub index: u64,
    /// Set if this is the last batch.
    pub r#final: bool,
    /// The text of this batch.
    pub delta: String,
}

/// The user requests another model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PreModelSwitch {
    /// The previous model.
    pub from_model: String,
    /// The new model.
    pub to_model: String,
    /// The name that the user requested.
    pub requested_model: String,
    /// The origin of the request to switch.
    pub source: String,
    /// The number of tokens in the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Set if the provider still caches the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_warm: Option<bool>,
    /// The lifetime of a cache entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_ttl: Option<String>,
    /// The cost of writing the cache again, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_cache_write_usd: Option<f64>,
    /// The origin of the price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pricing: Option<String>,
}

/// Another model is in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PostModelSwitch {
    /// The previous model.
    pub from_model: String,
    /// The new model.
    pub to_model: String,
    /// The name that the user requested.
    pub requested_model: String,
    /// The origin of the request to switch.
    pub source: String,
    /// The number of tokens in the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Set if the provider still caches the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_warm: Option<bool>,
    /// The lifetime of a cache entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_ttl: Option<String>,
    /// The cost of writing the cache again, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_cache_write_usd: Option<f64>,
    /// The origin of the price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pricing: Option<String>,
}
