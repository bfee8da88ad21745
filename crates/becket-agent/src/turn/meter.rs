//! The spending of an agent loop: tokens, cost, time with the model, and denied calls.
//!
//! INVARIANT: a subagent's spending also counts for the agent loop that started it. The total cost is unknown as soon
//! as the cost of one answer is; it is never too low.

use super::end::Denial;
use becket_engine::{ModelUse, Outcome};
use becket_llm::{Model, ModelSpec, Usage};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A meter of spending. Cheap to clone; all clones are the same meter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    spent: Arc<Mutex<Expenses>>,
    above: Option<Arc<Meter>>,
}

/// The sum of the spending.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Expenses {
    /// The tokens used.
    pub(crate) usage: Usage,
    /// The spending on each model, by its name.
    pub(crate) models: BTreeMap<String, ModelExpenses>,
    /// The time spent on requests.
    pub(crate) with_model: Duration,
    /// The calls that were denied.
    pub(crate) denials: Vec<Denial>,
}

/// The spending on one model.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ModelExpenses {
    /// The tokens used.
    pub(crate) usage: Usage,
    /// The known facts about the model.
    pub(crate) spec: ModelSpec,
    /// The cost in US dollars of the answers with a known cost.
    known_usd: f64,
    /// The number of answers with an unknown cost.
    unpriced: u32,
}

impl ModelExpenses {
    /// Returns the cost in US dollars; `None` if the cost of an answer is unknown.
    pub(crate) fn cost_usd(&self) -> Option<f64> {
        (self.unpriced == 0).then_some(self.known_usd)
    }

    fn used(&mut self, usage: Usage, cost: Option<f64>) {
        self.usage = self.usage.plus(usage);
        match cost {
            Some(cost) => self.known_usd += cost,
            None => self.unpriced += 1,
        }
    }
}

impl Meter {
    /// Returns a new meter whose sums also count for this one.
    pub(crate) fn below(&self) -> Self {
        Self { spent: Arc::default(), above: Some(Arc::new(self.clone())) }
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, model: &dyn Model, usage: Usage) {
        self.change(|spent| {
            spent.usage = spent.usage.plus(usage);
            let of = spent.models.entry(model.name().to_owned()).or_default();
            of.spec = model.spec();
            of.used(usage, of.spec.price.and_then(|price| price.cost(&usage)));
        });
    }

    /// Counts the requests to models by the hooks of an event.
    pub(crate) fn fired(&self, outcome: &Outcome) {
        let sent = |used: &&ModelUse| !used.from_cache;
        for used in outcome.runs.iter().filter_map(|run| run.usage.as_deref()).filter(sent) {
            self.change(|spent| {
                spent.usage = spent.usage.plus(used.usage);
                spent.models.entry(used.model.clone()).or_default().used(used.usage, used.cost_usd);
            });
        }
    }

    /// Counts the time that a request took, whatever its result.
    pub(crate) fn waited(&self, took: Duration) {
        self.change(|spent| spent.with_model += took);
    }

    /// Counts a denial.
    pub(crate) fn denied(&self, denial: &Denial) {
        self.change(|spent| spent.denials.push(denial.clone()));
    }

    /// Returns the spending so far.
    pub(crate) fn spent(&self) -> Expenses {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl Fn(&mut Expenses)) {
        let mut next = Some(self);
        while let Some(meter) = next {
            change(&mut meter.spent.lock().unwrap_or_else(PoisonError::into_inner));
            next = meter.above.as_deref();
        }
    }
}

impl Expenses {
    /// Returns the cost in US dollars; `None` if the cost of an answer is unknown.
    pub(crate) fn cost_usd(&self) -> Option<f64> {
        // An empty sum is -0.0.
        self.models.values().map(ModelExpenses::cost_usd).sum::<Option<f64>>().map(|cost| cost + 0.0)
    }

    /// Returns the first model whose cost is unknown.
    pub(crate) fn unpriced(&self) -> Option<&str> {
        self.models.iter().find(|(_, of)| of.unpriced > 0).map(|(name, _)| name.as_str())
    }

    /// Returns the spending since an earlier snapshot of the same meter.
    pub(crate) fn since(mut self, before: &Self) -> Self {
        self.usage = less(self.usage, before.usage);
        for (name, then) in &before.models {
            let Some(now) = self.models.get_mut(name) else { continue };
            now.usage = less(now.usage, then.usage);
            now.known_usd -= then.known_usd;
            now.unpriced = now.unpriced.saturating_sub(then.unpriced);
        }
        self.with_model = self.with_model.saturating_sub(before.with_model);
        self.denials.drain(..before.denials.len().min(self.denials.len()));
        self
    }
}

fn less(now: Usage, then: Usage) -> Usage {
    let less = u64::saturating_sub;
    Usage {
        input_tokens: less(now.input_tokens, then.input_tokens),
        output_tokens: less(now.output_tokens, then.output_tokens),
        cache_read: less(now.cache_read, then.cache_read),
        cache_write: less(now.cache_write, then.cache_write),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_llm::{Rates, Script, ScriptedModel};

    #[test]
    fn what_a_subagent_spends_counts_above_and_each_reading_stands_alone() {
        let model = ScriptedModel::new(Script::new("m", Vec::new()));
        let usage = |n| Usage { input_tokens: n, ..Usage::default() };
        let main = Meter::default();
        main.answered(&model, usage(5));
        let before = main.spent();
        let sub = main.below();
        sub.answered(&model, usage(2));
        sub.below().answered(&model, usage(1));
        let denial = Denial {
            tool_name: "Bash".into(),
            tool_use_id: "t".into(),
            tool_input: serde_json::Map::new(),
            because: "no".into(),
        };
        sub.denied(&denial);
        assert_eq!((sub.spent().usage, main.spent().usage), (usage(3), usage(8)));
        let since = main.spent().since(&before);
        assert_eq!((since.usage, since.denials.len()), (usage(3), 1));
        assert_eq!(main.spent().since(&main.spent()).denials, []);
    }
    fn model(name: &str, rates: Option<Rates>) -> ScriptedModel {
        let spec = ModelSpec { price: rates.map(Into::into), ..ModelSpec::default() };
        ScriptedModel::new(Script::new(name, Vec::new()).with_spec(spec))
    }

    #[test]
    fn a_cost_is_the_sum_of_known_ones_and_unknown_with_the_first_that_is_not() {
        let rates = Rates { input: 2.0, output: 4.0, cache_read: None, cache_write: None };
        let (priced, free) = (model("priced", Some(rates)), model("unknown", None));
        let million = Usage { input_tokens: 1_000_000, ..Usage::default() };
        let meter = Meter::default();
        assert_eq!(meter.spent().cost_usd(), Some(0.0));
        meter.answered(&priced, million);
        let before = meter.spent();
        meter.answered(&priced, million);
        assert_eq!((before.cost_usd(), meter.spent().cost_usd()), (Some(2.0), Some(4.0)));
        assert_eq!(meter.spent().since(&before).cost_usd(), Some(2.0));
        meter.answered(&free, million);
        assert_eq!((meter.spent().cost_usd(), meter.spent().unpriced()), (None, Some("unknown")));
        let after = meter.spent();
        meter.answered(&priced, Usage { cache_read: 1, ..million });
        assert_eq!(meter.spent().models["priced"].cost_usd(), None, "no rate for its cache");
        assert_eq!(after.models["priced"].cost_usd(), Some(4.0));
        assert_eq!(after.since(&meter.spent()).unpriced(), None);
    }
}
