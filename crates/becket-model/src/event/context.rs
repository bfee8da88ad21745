//! What is in the context: instructions, compaction, display, models: one struct per event, fields in wire order.
//!
//! Text whose set of values is open (a `source`, a `reason`) stays a `String`: a host may send values that are newer than this crate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file with instructions has entered the context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionsLoaded {
    /// The file.
    pub file_path: String,
    /// `User`, `Project`, `Local` or `Managed`.
    pub memory_type: String,
    /// Why it was loaded.
    pub load_reason: String,
    /// The path patterns that let it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub globs: Option<Vec<String>>,
    /// The file whose access loaded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_file_path: Option<String>,
    /// The file that includes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_file_path: Option<String>,
}

/// The conversation is about to be compacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PreCompact {
    /// What set it off.
    pub trigger: String,
    /// The user's words for the summary; null when there are none.
    pub custom_instructions: Option<String>,
}

/// The conversation has been compacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostCompact {
    /// What set it off.
    pub trigger: String,
    /// The summary as the model wrote it.
    pub compact_summary: String,
}

/// The model's text is about to be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageDisplay {
    /// The turn.
    pub turn_id: String,
    /// The message.
    pub message_id: String,
    /// Number of the batch in its message, from 0.
    pub index: u64,
    /// Whether this is the last batch.
    pub r#final: bool,
    /// The text of this batch.
    pub delta: String,
}

/// The user wants another model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PreModelSwitch {
    /// The model before.
    pub from_model: String,
    /// The model after.
    pub to_model: String,
    /// The name as the user gave it.
    pub requested_model: String,
    /// Where it comes from.
    pub source: String,
    /// Tokens in the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Whether the provider still caches the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_warm: Option<bool>,
    /// How long a cache entry lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_ttl: Option<String>,
    /// What writing the cache again would cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_cache_write_usd: Option<f64>,
    /// Where the price comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pricing: Option<String>,
}

/// Another model is in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostModelSwitch {
    /// The model before.
    pub from_model: String,
    /// The model after.
    pub to_model: String,
    /// The name as the user gave it.
    pub requested_model: String,
    /// Where it comes from.
    pub source: String,
    /// Tokens in the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Whether the provider still caches the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_warm: Option<bool>,
    /// How long a cache entry lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_ttl: Option<String>,
    /// What writing the cache again would cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_cache_write_usd: Option<f64>,
    /// Where the price comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pricing: Option<String>,
}
