//! The decision whether and when to retry a failed request. Pure: no clock, and randomness only from a parameter.
//!
//! The providers' clients send each request once; retries are decided only here.

use becket_llm::ModelError;
use std::time::Duration;

/// The maximum number of retries if nothing listens at a local address: a local server may be starting.
const MOST_REFUSED: u32 = 3;
/// The maximum number of retries if no connection can be established, such as to an unknown host.
const MOST_UNCONNECTED: u32 = 4;
/// The number of retries after which another model is used, if there is one.
const ENOUGH: u32 = 3;
/// The maximum number of retries if the answer breaks off.
const MOST_BROKEN: u32 = 1;
/// The first wait; each following one is twice as long.
const FIRST: Duration = Duration::from_millis(500);
/// The maximum wait that is computed here.
const LONGEST: Duration = Duration::from_secs(32);
/// The maximum wait that a provider may request.
const LONGEST_ASKED: Duration = Duration::from_secs(60);

/// The attempts at an answer so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attempts {
    /// The maximum number of retries without an answer.
    most: u32,
    /// The number of requests without an answer.
    unanswered: u32,
    /// The number of answers that broke off.
    broken: u32,
}

/// The step after a failed attempt.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum After {
    /// The request is sent again.
    Again {
        /// The wait before the retry.
        wait: Duration,
        /// The number of the next attempt, from 2.
        attempt: u32,
    },
    /// The request is given up.
    GiveUp {
        /// The reason for the user why it is not retried, if that is not obvious.
        because: Option<String>,
    },
}

impl Attempts {
    /// Starts counting; a request without an answer is retried at most `most` times.
    pub(super) const fn new(most: u32) -> Self {
        Self { most, unanswered: 0, broken: 0 }
    }

    /// Returns whether a model that has not answered had enough attempts to use another one, if there is one.
    pub(super) const fn are_enough_for_another(&self) -> bool {
        self.unanswered >= ENOUGH
    }

    /// Returns how many attempts may follow the first one if all fail with this error from now on.
    pub(super) fn max_retries(&self, error: &ModelError, had_begun: bool) -> u32 {
        match had_begun {
            true => self.unanswered + MOST_BROKEN,
            false => self.broken + most(error).min(self.most),
        }
    }

    /// Counts a failure, and returns the next step. `had_begun` is true if a part of the answer had arrived. `chance`
    /// is a number from 0 to 1 that spreads the waits of many clients.
    pub(super) fn failed(&mut self, error: &ModelError, had_begun: bool, chance: f64) -> After {
        let requested = error.retry_after();
        if let Some(requested) = requested.filter(|requested| *requested > LONGEST_ASKED) {
            let because = format!(
                "it asks to wait {} s, and a session waits {} s at most",
                requested.as_secs(),
                LONGEST_ASKED.as_secs()
            );
            return After::GiveUp { because: Some(because) };
        }
        let may_go_on = if had_begun {
            self.broken += 1;
            self.broken <= MOST_BROKEN && may_break_off(error)
        } else {
            self.unanswered += 1;
            self.unanswered <= most(error).min(self.most) && error.is_transient()
        };
        if !may_go_on {
            let failed = self.unanswered + self.broken;
            let because = (failed > 1 && !is_refused(error)).then(|| format!("{failed} attempts failed"));
            return After::GiveUp { because };
        }
        let wait = requested.unwrap_or_else(|| wait(self.unanswered.max(1), chance));
        After::Again { wait, attempt: 1 + self.unanswered + self.broken }
    }
}

/// Returns the maximum number of retries after a request without an answer.
const fn most(error: &ModelError) -> u32 {
    if is_refused(error) {
        MOST_REFUSED
    } else if matches!(error, ModelError::Connection { .. }) {
        MOST_UNCONNECTED
    } else {
        u32::MAX
    }
}

/// Returns whether nothing listens at a local address.
pub(super) const fn is_refused(error: &ModelError) -> bool {
    matches!(error, ModelError::NothingListens { .. })
}

/// Returns whether an answer that started and failed like this may succeed on a retry.
fn may_break_off(error: &ModelError) -> bool {
    error.is_transient() || matches!(error, ModelError::BadAnswer { .. })
}

/// Returns the wait after this many failures: between half of the doubled wait and all of it.
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
    fn the_last_attempt_has_the_greatest_number() {
        let connection = ModelError::Connection { from: "h".into(), message: "x".into() };
        let failures = [(overloaded(None), false), (connection, false), (truncated(), true)];
        for (error, had_begun) in failures {
            let (mut attempts, mut last) = (Attempts::new(10), 0);
            attempts.failed(&truncated(), !had_begun && error.is_transient(), 0.0);
            while let After::Again { attempt, .. } = attempts.failed(&error, had_begun, 0.0) {
                last = attempt - 1;
                assert!(last <= attempts.max_retries(&error, had_begun));
            }
            assert_eq!(last, attempts.max_retries(&error, had_begun), "{error}");
        }
    }

    // rule: L3
    #[test]
    fn a_server_that_is_not_there_is_not_waited_for_long() {
        let waited = |error: &ModelError| {
            let (mut attempts, mut waited) = (Attempts::new(10), Duration::ZERO);
            loop {
                match attempts.failed(error, false, 1.0) {
                    After::Again { wait, .. } => waited += wait,
                    end @ After::GiveUp { .. } => return (waited.as_millis(), end),
                }
            }
        };
        let refused = ModelError::NothingListens { from: "127.0.0.1:9".into() };
        assert_eq!(waited(&refused), (3_500, After::GiveUp { because: None }));
        let unknown = ModelError::Connection { from: "h".into(), message: "x".into() };
        let because = Some("5 attempts failed".to_owned());
        assert_eq!(waited(&unknown), (7_500, After::GiveUp { because }));
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
