//! The size and the price of a model.

use crate::price::{LongContext, Price, Rates};
use serde::Deserialize;

/// The public facts about a model, as far as they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(try_from = "RawModel")]
pub struct ModelSpec {
    /// The price of the model.
    pub price: Option<Price>,
    /// The size of the context window, in tokens.
    pub context_window: Option<u64>,
    /// The maximum number of tokens of an answer.
    pub max_output: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawModel {
    price: Option<RawPrice>,
    context_window: Option<u64>,
    max_output: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPrice {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    above: Option<RawLongContext>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLongContext {
    tokens: u64,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

impl TryFrom<RawModel> for ModelSpec {
    type Error = String;

    fn try_from(raw: RawModel) -> Result<Self, String> {
        let RawModel { price, context_window, max_output } = raw;
        if context_window == Some(0) || max_output == Some(0) {
            return Err("a size of 0 tokens: leave out what is not known".to_owned());
        }
        let price = price.map(RawPrice::price).transpose()?;
        Ok(Self { price, context_window, max_output })
    }
}

impl RawPrice {
    fn price(self) -> Result<Price, String> {
        let rates = rates(self.input, self.output, self.cache_read, self.cache_write)?;
        let long =
            self.above.map(|long| rates_above(&long).map(|rates| LongContext { above: long.tokens, rates }));
        Ok(Price { rates, long_context: long.transpose()? })
    }
}

fn rates_above(long: &RawLongContext) -> Result<Rates, String> {
    rates(long.input, long.output, long.cache_read, long.cache_write)
}

fn rates(
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
) -> Result<Rates, String> {
    let all = [Some(input), Some(output), cache_read, cache_write];
    match all.into_iter().flatten().find(|rate| *rate < 0.0 || !rate.is_finite()) {
        Some(rate) => Err(format!("the price {rate}: write US dollars per million tokens, 0 or more")),
        None => Ok(Rates { input, output, cache_read, cache_write }),
    }
}
