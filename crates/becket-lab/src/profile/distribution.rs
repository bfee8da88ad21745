//! A distribution of times.

use super::report::Bucket;
use hdrhistogram::Histogram;

/// The longest time that is distinguished from longer ones, in microseconds: a day.
const LONGEST: u64 = 86_400_000_000;

/// A distribution of times, in microseconds, with three digits.
#[derive(Debug, Default)]
pub(super) struct Distribution {
    histogram: Option<Histogram<u64>>,
    max: u64,
    total: u64,
}

impl Distribution {
    pub(super) fn add(&mut self, us: u64) {
        self.max = self.max.max(us);
        self.total = self.total.saturating_add(us);
        if self.histogram.is_none() {
            // The bounds are valid constants.
            self.histogram = Histogram::new_with_bounds(1, LONGEST, 3).ok();
        }
        if let Some(histogram) = &mut self.histogram {
            histogram.saturating_record(us.max(1));
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.histogram.as_ref().map_or(0, Histogram::len)
    }

    /// Returns the upper limit of the times of a share of all runs, in milliseconds.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let at = self.histogram.as_ref().map_or(0, |histogram| histogram.value_at_quantile(share));
        milliseconds(at.min(self.max))
    }

    pub(super) fn max(&self) -> f64 {
        milliseconds(self.max)
    }

    pub(super) fn total(&self) -> f64 {
        milliseconds(self.total)
    }

    /// Returns the buckets from the first to the last that is not empty; each is half as wide again as the one before it.
    pub(super) fn buckets(&self) -> Vec<Bucket> {
        let Some(histogram) = &self.histogram else { return Vec::new() };
        let mut from = 0;
        let steps = histogram.iter_log(100, 1.5).map(|step| {
            let up_to = step.value_iterated_to();
            Bucket {
                from: milliseconds(std::mem::replace(&mut from, up_to)),
                up_to: milliseconds(up_to),
                runs: step.count_since_last_iteration(),
            }
        });
        steps.skip_while(|bucket| bucket.runs == 0).collect()
    }
}

/// Converts microseconds.
pub(super) fn milliseconds(us: u64) -> f64 {
    us as f64 / 1_000.0
}
