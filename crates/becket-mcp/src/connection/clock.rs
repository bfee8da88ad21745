//! The clock of one call. It pauses while the server waits for an answer of the user.
//!
//! INVARIANT: it pauses for at most `longest_pause` in total, and progress extends it to at most `longest`: no server
//! can keep a call alive forever.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::host::ProgressListener;

/// The limits of a clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// The time limit of the call.
    pub(crate) limit: Duration,
    /// The limit on all pauses together.
    pub(crate) longest_pause: Duration,
    /// Each sign of progress restarts the limit, up to this total; with `None` progress changes nothing.
    pub(crate) longest: Option<Duration>,
}

/// Starts a clock.
#[derive(Debug)]
pub(crate) struct Clock {
    times: Times,
    signal: watch::Sender<Signal>,
    listener: Option<ProgressListener>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Signal {
    pauses: usize,
    progress: u64,
}

impl Clock {
    pub(crate) fn start(times: Times) -> Arc<Self> {
        Self::start_for(times, None)
    }

    /// Starts a clock whose call has a listener to its progress.
    pub(crate) fn start_for(times: Times, listener: Option<ProgressListener>) -> Arc<Self> {
        Arc::new(Self { times, signal: watch::Sender::default(), listener })
    }

    /// Returns the time limit of the call, without pauses.
    pub(crate) fn limit(&self) -> Duration {
        self.times.limit
    }

    /// Pauses the clock until the guard is dropped.
    pub(crate) fn pause(self: &Arc<Self>) -> Pause {
        self.signal.send_modify(|signal| signal.pauses += 1);
        Pause(Arc::clone(self))
    }

    /// Records progress of the call.
    pub(crate) fn progress(&self) {
        if self.times.longest.is_some() {
            self.signal.send_modify(|signal| signal.progress += 1);
        }
    }

    /// Returns the listener to the call's progress.
    pub(crate) fn listener(&self) -> Option<&ProgressListener> {
        self.listener.as_ref()
    }

    /// Waits until the clock has run out.
    pub(crate) async fn run_out(&self) {
        let mut signal = self.signal.subscribe();
        let Times { limit, longest_pause, longest } = self.times;
        let (mut left, mut pausable) = (limit, longest_pause);
        // The extension that progress can still give, if it counts.
        let mut in_all = longest.map_or(limit, |longest| longest.max(limit));
        let mut seen = 0;
        loop {
            let Signal { pauses, progress } = *signal.borrow_and_update();
            if progress != seen {
                (seen, left) = (progress, limit.min(in_all));
            }
            let pauses = pauses > 0 && !pausable.is_zero();
            let begun = Instant::now();
            let over = tokio::select! {
                biased;
                () = sleep(if pauses { pausable } else { left }) => true,
                // The sender is this clock's own.
                _ = signal.changed() => false,
            };
            if over && !pauses {
                return;
            }
            let passed = begun.elapsed();
            if pauses {
                pausable = if over { Duration::ZERO } else { pausable.saturating_sub(passed) };
            } else {
                (left, in_all) = (left.saturating_sub(passed), in_all.saturating_sub(passed));
            }
        }
    }
}

/// A guard that pauses a clock.
#[derive(Debug)]
pub(crate) struct Pause(Arc<Clock>);

impl Drop for Pause {
    fn drop(&mut self) {
        self.0.signal.send_modify(|signal| signal.pauses -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// The expected state of a clock of 10 s after some time.
    enum Then {
        Pause,
        Resume,
        Progress,
    }

    async fn runs_for(longest: Option<u32>, longest_pause: u32, then: &[(u32, Then)]) -> u64 {
        let longest = longest.map(|longest| longest * SECOND);
        let times = Times { limit: 10 * SECOND, longest_pause: longest_pause * SECOND, longest };
        let (clock, start) = (Clock::start(times), Instant::now());
        let script = async {
            let mut held = Vec::new();
            for (at, what) in then {
                tokio::time::sleep_until(start + *at * SECOND).await;
                match what {
                    Then::Pause => held.push(clock.pause()),
                    Then::Resume => drop(held.pop()),
                    Then::Progress => clock.progress(),
                }
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = clock.run_out() => {}
            () = script => {}
        }
        start.elapsed().as_secs()
    }

    // rule: X6
    #[tokio::test(start_paused = true)]
    async fn a_clock_stands_still_while_somebody_holds_it_and_not_for_ever() {
        use Then::{Pause, Progress, Resume};
        assert_eq!(runs_for(None, 100, &[]).await, 10);
        assert_eq!(runs_for(None, 100, &[(4, Pause), (24, Resume)]).await, 30);
        assert_eq!(runs_for(None, 100, &[(4, Pause), (6, Pause), (8, Resume), (24, Resume)]).await, 30);
        assert_eq!(runs_for(None, 100, &[(0, Pause), (5, Resume), (7, Pause), (9, Resume)]).await, 17);
        assert_eq!(runs_for(None, 15, &[(4, Pause)]).await, 25);
        assert_eq!(runs_for(None, 15, &[(4, Pause), (14, Resume), (16, Pause)]).await, 25);
        assert_eq!(runs_for(None, 0, &[(4, Pause)]).await, 10);
        assert_eq!(runs_for(None, 9, &[(3, Progress), (8, Progress)]).await, 10);
    }

    #[tokio::test(start_paused = true)]
    async fn progress_gives_more_time_only_where_it_may_and_not_for_ever() {
        use Then::{Pause, Progress, Resume};
        assert_eq!(runs_for(Some(60), 0, &[(3, Progress), (8, Progress)]).await, 18);
        assert_eq!(runs_for(Some(15), 0, &[(3, Progress), (8, Progress)]).await, 15);
        assert_eq!(runs_for(Some(5), 0, &[(3, Progress)]).await, 10);
        assert_eq!(
            runs_for(Some(15), 9, &[(3, Progress), (8, Progress), (9, Pause), (12, Resume)]).await,
            18
        );
    }
}
