//! The spending on one model, under the names of the SDKs.

use becket_agent::ModelUsage;
use serde::Serialize;

/// An entry of `modelUsage`. Unknown values are null.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelSpending {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    web_search_requests: u64,
    #[serde(rename = "costUSD")]
    cost_usd: Option<f64>,
    context_window: Option<u64>,
    max_output_tokens: Option<u32>,
}

impl From<ModelUsage> for ModelSpending {
    fn from(used: ModelUsage) -> Self {
        ModelSpending {
            input_tokens: used.usage.input_tokens,
            output_tokens: used.usage.output_tokens,
            cache_read_input_tokens: used.usage.cache_read,
            cache_creation_input_tokens: used.usage.cache_write,
            // The web searches of a provider are not offered to models.
            web_search_requests: 0,
            cost_usd: used.cost_usd,
            context_window: used.spec.context_window,
            max_output_tokens: used.spec.max_output,
        }
    }
}
