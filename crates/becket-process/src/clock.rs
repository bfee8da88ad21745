//! The remaining time of a run, whose limit may be paused and replaced.
//!
//! Never reads the system clock: every moment is passed in, so that a pause counts from the call that requested it,
//! not from when the run notices it.

use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::time::Instant;

/// The limit of one run. `None` means no limit, and so does a moment too far in the future for the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The limit runs out at a moment.
    Running { due: Option<Instant> },
    /// The limit is paused for as long as there are holders.
    Paused { holders: NonZeroUsize, left: Option<Duration> },
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self::Running { due: None }
    }

    /// Sets the limit: counted from `now`, or from the end of the pause.
    pub(crate) fn limit(&mut self, now: Instant, limit: Option<Duration>) {
        match self {
            Self::Running { due } => *due = after(now, limit),
            Self::Paused { left, .. } => *left = limit,
        }
    }

    pub(crate) fn pause(&mut self, now: Instant) {
        *self = match *self {
            Self::Running { due } => Self::Paused {
                holders: NonZeroUsize::MIN,
                left: due.map(|due| due.saturating_duration_since(now)),
            },
            Self::Paused { holders, left } => Self::Paused { holders: holders.saturating_add(1), left },
        };
    }

    /// Removes one holder; when the last one goes, the limit continues with the time that was left.
    pub(crate) fn resume(&mut self, now: Instant) {
        if let Self::Paused { holders, left } = *self {
            *self = match NonZeroUsize::new(holders.get() - 1) {
                Some(holders) => Self::Paused { holders, left },
                None => Self::Running { due: after(now, left) },
            };
        }
    }

    /// Returns when the limit is reached if nothing changes.
    pub(crate) fn due(&self) -> Option<Instant> {
        match self {
            Self::Running { due } => *due,
            Self::Paused { .. } => None,
        }
    }

    /// Returns when the limit would be reached if it continued at `now`.
    pub(crate) fn due_regardless(&self, now: Instant) -> Option<Instant> {
        match self {
            Self::Running { due } => *due,
            Self::Paused { left, .. } => after(now, *left),
        }
    }
}

fn after(now: Instant, limit: Option<Duration>) -> Option<Instant> {
    limit.and_then(|limit| now.checked_add(limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy)]
    enum Do {
        Limit(Option<u64>),
        Pause,
        Resume,
    }
    use Do::{Limit, Pause, Resume};

    /// The steps by second, then the moment the limit is reached, then the same moment if pauses are ignored.
    type Case = (&'static str, &'static [(u64, Do)], Option<u64>, Option<u64>);

    const CASES: &[Case] = &[
        ("nothing", &[], None, None),
        ("a limit", &[(1, Limit(Some(10)))], Some(11), Some(11)),
        ("paused", &[(0, Limit(Some(10))), (4, Pause)], None, Some(106)),
        ("resumed", &[(0, Limit(Some(10))), (4, Pause), (50, Resume)], Some(56), Some(56)),
        (
            "twice",
            &[(0, Limit(Some(10))), (4, Pause), (50, Resume), (51, Pause), (60, Resume)],
            Some(65),
            Some(65),
        ),
        ("nested", &[(0, Limit(Some(10))), (4, Pause), (5, Pause), (50, Resume)], None, Some(106)),
        (
            "nested to the end",
            &[(0, Limit(Some(10))), (4, Pause), (5, Pause), (50, Resume), (60, Resume)],
            Some(66),
            Some(66),
        ),
        ("paused too late", &[(0, Limit(Some(10))), (14, Pause), (50, Resume)], Some(50), Some(50)),
        ("no limit, paused", &[(4, Pause)], None, None),
        ("no limit, resumed", &[(4, Pause), (5, Resume)], None, None),
        ("a limit while paused", &[(4, Pause), (5, Limit(Some(7)))], None, Some(107)),
        (
            "and resumed",
            &[(0, Limit(Some(10))), (4, Pause), (5, Limit(Some(7))), (9, Resume)],
            Some(16),
            Some(16),
        ),
        ("the last limit counts", &[(0, Limit(Some(10))), (1, Limit(Some(3)))], Some(4), Some(4)),
        ("none again", &[(0, Limit(Some(10))), (1, Limit(None))], None, None),
        ("past the end of time", &[(0, Limit(Some(u64::MAX)))], None, None),
        ("and paused", &[(0, Limit(Some(u64::MAX))), (1, Pause), (2, Resume)], None, None),
        ("resumed by nobody", &[(0, Limit(Some(10))), (4, Resume)], Some(10), Some(10)),
    ];

    // rules: A2, Q2
    #[test]
    fn a_pause_takes_nothing_off_the_limit_and_adds_nothing() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        for (case, steps, due, regardless) in CASES {
            let mut clock = Clock::new();
            for (second, step) in *steps {
                match step {
                    Limit(limit) => clock.limit(at(*second), limit.map(Duration::from_secs)),
                    Pause => clock.pause(at(*second)),
                    Resume => clock.resume(at(*second)),
                }
            }
            assert_eq!(clock.due(), due.map(at), "{case}");
            assert_eq!(clock.due_regardless(at(100)), regardless.map(at), "{case}, whoever pauses");
        }
    }
}
