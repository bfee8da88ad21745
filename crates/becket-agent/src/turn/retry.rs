//! The decision to send a failed request again, and its time. Pure: no clock, and randomness only from a parameter.
//!
//! The providers' clients send each request once; sending it again is decided here and nowhere else.

use becket_llm::ModelError;
use std::time::Duration;

/// Maximum number of retries if nothing listens at a local address: a local server may be starting.
const MOST_REFUSED: u32 = 3;
/// After how many of them another model is asked, if there is one.
const ENOUGH: u32 = 3;
/// Maximum number of retries if the answer breaks off.
const MOST_BROKEN: u32 = 1;
/// The first wait; each one after it is twice as long.
const FIRST: Duration = Duration::from_millis(500);
/// The longest wait that is made up here.
const LONGEST: Duration = Duration::from_secs(32);
/// The longest wait that a provider may ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(60);

/// The attempts at one answer so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attempts {
    /// Maximum number of retries without an answer.
    most: u32,
    /// Number of requests without an answer.
    unanswered: u32,
    /// Number of answers that broke off.
    broken: u32,
}

/// The step after a failed attempt.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum After {
    /// The request is sent again.
    Again {
        /// After this wait.
        wait: Duration,
        /// Number of the next attempt, from 2.
        attempt: u32,
    },
    /// It is given up.
    GiveUp {
        /// For the user: why no further attempt is made, if that is not obvious.
        because: Option<String>,
    },
}

impl Attempts {
    /// Starts to count; a request that got no answer is sent again at most `most` times.
    pub(super) const fn new(most: u32) -> Self {
        Self { most, unanswered: 0, broken: 0 }
    }

    /// Returns whether a model that answered none of them has had enough attempts, if there is another one.
    pub(super) const fn are_enough_for_another(&self) -> bool {
        self.unanswered >= ENOUGH
    }

    /// Counts a failure, and says what comes. `had_begun`: some of the answer had come. `chance` is a number from 0 to 1
    /// that spreads the waits of many clients.
    pub(super) fn failed(&mut self, error: &ModelError, had_begun: bool, chance: f64) -> After {
        let asked = error.retry_after();
        if let Some(asked) = asked.filter(|asked| *asked > LONGEST_ASKED) {
            let because = format!(
                "it asks to wait {} s, and a session waits {} s at most",
                asked.as_secs(),
                LONGEST_ASKED.as_secs()
            );
            return After::GiveUp { because: Some(because) };
        }
        let may_go_on = if had_begun {
            self.broken += 1;
            self.broken <= MOST_BROKEN && may_break_off(error)
        } else {
            self.unanswered += 1;
            let most = if is_refused(error) { MOST_REFUSED.min(self.most) } else { self.most };
            self.unanswered <= most && error.is_transient()
        };
        if !may_go_on {
            let failed = self.unanswered + self.broken;
            let because = (failed > 1 && !is_refused(error)).then(|| format!("{failed} attempts failed"));
            return After::GiveUp { because };
        }
        let wait = asked.unwrap_or_else(|| wait(self.unanswered.max(1), chance));
        After::Again { wait, attempt: 1 + self.unanswered + self.broken }
    }
}

/// Returns whether nothing listens at a local address.
pub(super) const fn is_refused(error: &ModelError) -> bool {
    matches!(error, ModelError::NothingListens { .. })
}

/// Returns whether an answer that began and failed like this may succeed the next time.
fn may_break_off(error: &ModelError) -> bool {
    error.is_transient() || matches!(error, ModelError::BadAnswer { .. })
}

/// The wait after so many failures: between half and the whole of what doubling gives.
fn wait(failures: u32, chance: f64) -> Duration {
    let doubled = FIRST.saturating_mul(1 << (failures - 1).min(16)).min(LONGEST);
    doubled.mul_f64(0.5 + chance.clamp(0.0, 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overloaded(seconds: Option<u64>) -> ModelError {
        let retry_after = seconds.map(Duration::from_secs);
        ModelError::Overloaded { from: "h".into(), retry_after, message: "x".into() }
    }

    fn bad_request() -> ModelError {
        ModelError::BadRequest { from: "h".into(), message: "x".into() }
    }

    fn truncated() -> ModelError {
        ModelError::Truncated { from: "h".into() }
    }

    // rule: L3
    #[test]
    fn waits_double_up_to_a_bound_and_end_after_ten() {
        let mut attempts = Attempts::new(10);
        let mut waits = Vec::new();
        while let After::Again { wait, attempt } = attempts.failed(&overloaded(None), false, 1.0) {
            assert_eq!(attempt as usize, waits.len() + 2);
            waits.push(wait.as_millis());
        }
        assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000, 32_000]);
        assert_eq!(wait(3, 0.0), Duration::from_secs(1), "chance takes half of it away at most");
    }

    // rule: L3
    #[test]
    fn a_local_server_that_is_not_there_is_not_waited_for_long() {
        let refused = ModelError::NothingListens { from: "127.0.0.1:9".into() };
        let (mut attempts, mut waited) = (Attempts::new(10), Duration::ZERO);
        while let After::Again { wait, .. } = attempts.failed(&refused, false, 1.0) {
            waited += wait;
        }
        assert_eq!(waited, Duration::from_millis(3_500));
        assert_eq!(attempts.failed(&refused, false, 1.0), After::GiveUp { because: None });
    }

    // rule: L3
    #[test]
    fn what_a_provider_asks_for_is_kept_or_given_up() {
        let again = |wait| After::Again { wait: Duration::from_secs(wait), attempt: 2 };
        for (asked, expected) in [(0, again(0)), (7, again(7)), (60, again(60))] {
            assert_eq!(Attempts::new(10).failed(&overloaded(Some(asked)), false, 0.3), expected);
        }
        let After::GiveUp { because: Some(because) } =
            Attempts::new(10).failed(&overloaded(Some(61)), false, 0.3)
        else {
            panic!("an hour is not waited for")
        };
        assert!(because.contains("61 s") && because.contains("60 s"), "{because}");
    }

    // rule: L3
    #[test]
    fn an_answer_that_broke_off_is_asked_for_once_more() {
        for error in [truncated(), overloaded(None)] {
            let mut attempts = Attempts::new(10);
            assert!(matches!(attempts.failed(&error, true, 0.0), After::Again { attempt: 2, .. }));
            assert!(matches!(attempts.failed(&error, true, 0.0), After::GiveUp { because: Some(_) }));
        }
        let garbage = ModelError::BadAnswer { from: "h".into(), message: "x".into() };
        assert!(matches!(Attempts::new(10).failed(&garbage, true, 0.0), After::Again { .. }));
        assert!(matches!(Attempts::new(10).failed(&garbage, false, 0.0), After::GiveUp { because: None }));
    }

    // rule: L3
    #[test]
    fn what_fails_the_same_way_each_time_is_not_sent_again() {
        for had_begun in [false, true] {
            let after = Attempts::new(10).failed(&bad_request(), had_begun, 0.0);
            assert_eq!(after, After::GiveUp { because: None });
        }
    }
}
