//! When to act on announcements that come in bursts: once it is quiet, and not too late if it never is.
//!
//! It keeps no timer and reads no clock; who waits asks when, and says what time it is.

use std::time::{Duration, Instant};

/// Collects announcements into one.
///
/// ```
/// use becket_mcp::Debounce;
/// use std::time::{Duration, Instant};
///
/// let (mut changes, start) = (Debounce::default(), Instant::now());
/// changes.note(start);
/// changes.note(start + Duration::from_millis(50));
/// assert!(!changes.take(start + Duration::from_millis(100)));
/// assert!(changes.take(start + Duration::from_millis(150)));
/// assert_eq!(changes.due(), None);
/// ```
#[derive(Debug, Clone)]
pub struct Debounce {
    quiet: Duration,
    longest: Duration,
    /// The first and the last announcement that nobody has acted on.
    waiting: Option<(Instant, Instant)>,
}

impl Debounce {
    /// Waits until it was `quiet`, but no longer than `longest` after the first announcement.
    #[must_use]
    pub fn new(quiet: Duration, longest: Duration) -> Self {
        Self { quiet, longest, waiting: None }
    }

    /// Something was announced.
    pub fn note(&mut self, now: Instant) {
        let first = self.waiting.map_or(now, |(first, _)| first);
        self.waiting = Some((first, now));
    }

    /// When somebody should act; none if there is nothing to act on.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.waiting.map(|(first, last)| (last + self.quiet).min(first + self.longest))
    }

    /// Whether it is time to act; if so, what was announced is done with.
    #[must_use = "what was announced is done with"]
    pub fn take(&mut self, now: Instant) -> bool {
        let due = self.due().is_some_and(|due| due <= now);
        if due {
            self.waiting = None;
        }
        due
    }
}

/// 100 ms of quiet, 1 s at most.
impl Default for Debounce {
    fn default() -> Self {
        Self::new(Duration::from_millis(100), Duration::from_secs(1))
    }
}
