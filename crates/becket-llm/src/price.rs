//! The cost of tokens.
//!
//! INVARIANT: an unknown price makes a cost unknown, never lower.

use crate::response::Usage;

/// The price of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// The regular rates.
    pub rates: Rates,
    /// The rates of requests with a long context, if they differ.
    pub long_context: Option<LongContext>,
}

/// Rates in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// The rate of [`Usage::input_tokens`].
    pub input: f64,
    /// The rate of [`Usage::output_tokens`].
    pub output: f64,
    /// The rate of [`Usage::cache_read`]; `None` is unknown.
    pub cache_read: Option<f64>,
    /// The rate of [`Usage::cache_write`]; `None` is unknown.
    pub cache_write: Option<f64>,
}

/// The rates of requests above a number of tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LongContext {
    /// The maximum number of input tokens, including cached ones, at the regular rates.
    pub above: u64,
    /// The rates of the whole request if it exceeds that number.
    pub rates: Rates,
}

impl Price {
    /// Returns the cost of an answer in US dollars; `None` if it has tokens of a kind whose rate is unknown.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Option<f64> {
        let input = usage.input_tokens.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
        let long = self.long_context.filter(|long| input > long.above);
        long.map_or(self.rates, |long| long.rates).cost(usage)
    }
}

impl From<Rates> for Price {
    fn from(rates: Rates) -> Self {
        Self { rates, long_context: None }
    }
}

impl Rates {
    #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
    fn cost(&self, usage: &Usage) -> Option<f64> {
        let parts = [
            (usage.input_tokens, Some(self.input)),
            (usage.output_tokens, Some(self.output)),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
        ];
        let used = parts.iter().filter(|(tokens, _)| *tokens > 0);
        used.map(|(tokens, rate)| rate.map(|rate| *tokens as f64 * rate / 1e6)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { input: 1.0, output: 5.0, cache_read: Some(0.1), cache_write: None };

    #[test]
    fn a_price_weighs_each_kind_of_token() {
        let usage =
            Usage { input_tokens: 1_000_000, output_tokens: 500_000, cache_read: 10_000_000, cache_write: 0 };
        assert!((Price::from(RATES).cost(&usage).unwrap() - 4.5).abs() < 1e-9);
        assert_eq!(Price::from(RATES).cost(&Usage::default()), Some(0.0));
    }

    #[test]
    fn tokens_without_a_rate_make_the_cost_unknown() {
        let usage = Usage { input_tokens: 1, cache_write: 1, ..Usage::default() };
        assert_eq!(Price::from(RATES).cost(&usage), None);
    }

    #[test]
    fn a_long_context_has_rates_of_its_own() {
        let long = LongContext { above: 100, rates: Rates { input: 2.0, ..RATES } };
        let price = Price { long_context: Some(long), ..Price::from(RATES) };
        let cost = |input_tokens, cache_read| {
            price.cost(&Usage { input_tokens, cache_read, ..Usage::default() }).unwrap()
        };
        assert!((cost(100, 0) - 100.0 / 1e6).abs() < 1e-12);
        assert!((cost(100, 1) - (200.0 + 0.1) / 1e6).abs() < 1e-12, "the cache is input, too");
    }
}
