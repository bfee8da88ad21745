//! The use of a model by a run: requests, tokens, and their cost if the host knows a price.

#[cfg(feature = "models")]
use becket_llm::{Model, Usage};

/// The use of a model by a `prompt` or `agent` handler (H7, H8).
#[cfg(feature = "models")]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelUse {
    /// The model, as messages call it.
    pub model: String,
    /// The number of requests that were sent, those that failed included.
    pub requests: u32,
    /// The tokens of all answers together.
    pub usage: Usage,
    /// The cost in US dollars; `None` if the host has no price for the model.
    pub cost_usd: Option<f64>,
    /// Set if the answer came from the cache of verdicts, so that nothing was sent.
    pub from_cache: bool,
}

/// The use of a model; there is none without the feature `models`.
#[cfg(not(feature = "models"))]
#[derive(Debug, Clone, PartialEq)]
pub enum ModelUse {}

#[cfg(feature = "models")]
impl ModelUse {
    /// Creates a record without any use yet.
    pub(crate) fn of(model: &dyn Model) -> Self {
        ModelUse {
            model: model.name().to_owned(),
            requests: 0,
            usage: Usage::default(),
            cost_usd: model.price().map(|_| 0.0),
            from_cache: false,
        }
    }

    /// Counts another request.
    pub(crate) fn count_request(&mut self) {
        self.requests += 1;
    }

    /// Adds the tokens and the cost of an answer.
    pub(crate) fn answered(&mut self, model: &dyn Model, usage: Usage) {
        self.usage = self.usage.plus(usage);
        let cost = model.price().and_then(|price| price.cost(&usage));
        self.cost_usd = self.cost_usd.zip(cost).map(|(sum, cost)| sum + cost);
    }
}
