//! The spending of an agent loop: tokens, money, time with the model, calls that were denied.
//!
//! INVARIANT: a subagent's spending counts for the agent loop that started it, too.

use super::end::Denial;
use becket_llm::{Model, Usage};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Adds up. Cheap to clone; all clones are the same meter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    spent: Arc<Mutex<Expenses>>,
    above: Option<Arc<Meter>>,
}

/// Sum of spending.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Expenses {
    /// Tokens.
    pub(crate) usage: Usage,
    /// US dollars, as far as prices are known.
    pub(crate) cost_usd: Option<f64>,
    /// Time that requests took.
    pub(crate) with_model: Duration,
    /// Calls that were denied.
    pub(crate) denials: Vec<Denial>,
}

impl Meter {
    /// One whose sums count for this one, too.
    pub(crate) fn below(&self) -> Self {
        Self { spent: Arc::default(), above: Some(Arc::new(self.clone())) }
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, model: &dyn Model, usage: Usage) {
        let cost = model.price().map(|price| price.cost(&usage));
        self.change(|spent| {
            spent.usage = spent.usage.plus(usage);
            spent.cost_usd = added(spent.cost_usd, cost);
        });
    }

    /// Counts the time that a request took, whatever came of it.
    pub(crate) fn waited(&self, took: Duration) {
        self.change(|spent| spent.with_model += took);
    }

    /// Counts a denial.
    pub(crate) fn denied(&self, denial: &Denial) {
        self.change(|spent| spent.denials.push(denial.clone()));
    }

    /// All of it so far.
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
    /// Returns the spending since an earlier reading of the same meter.
    pub(crate) fn since(mut self, before: &Self) -> Self {
        let less = u64::saturating_sub;
        let (now, then) = (self.usage, before.usage);
        self.usage = Usage {
            input_tokens: less(now.input_tokens, then.input_tokens),
            output_tokens: less(now.output_tokens, then.output_tokens),
            cache_read: less(now.cache_read, then.cache_read),
            cache_write: less(now.cache_write, then.cache_write),
        };
        self.cost_usd = self.cost_usd.map(|cost| cost - before.cost_usd.unwrap_or_default());
        self.with_model = self.with_model.saturating_sub(before.with_model);
        self.denials.drain(..before.denials.len().min(self.denials.len()));
        self
    }
}

fn added(sum: Option<f64>, more: Option<f64>) -> Option<f64> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(sum + more),
        (known, None) | (None, known) => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_llm::{Script, ScriptedModel};

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
}
