//! Debouncing of announcements that come in bursts: the action follows once they stop, or after a limit.
//!
//! It has no timer and reads no clock; the caller queries the due time, and passes in the current time.

use std::time::{Duration, Instant};

/// A debouncer that merges announcements into one.
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
    /// The first and the last pending announcement.
    waiting: Option<(Instant, Instant)>,
}

impl Debounce {
    /// Creates a debouncer with a `quiet` time, and a `longest` delay after the first announcement.
    #[must_use]
    pub fn new(quiet: Duration, longest: Duration) -> Self {
        Self { quiet, longest, waiting: None }
    }

    /// Records an announcement.
    pub fn note(&mut self, now: Instant) {
        let first = self.waiting.map_or(now, |(first, _)| first);
        self.waiting = Some((first, now));
    }

    /// Returns the time to act; `None` if there is nothing to act on.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.waiting.map(|(first, last)| (last + self.quiet).min(first + self.longest))
    }

    /// Returns whether it is time to act; if so, the announcements are consumed.
    #[must_use = "taken announcements are not returned again"]
    pub fn take(&mut self, now: Instant) -> bool {
        let due = self.due().is_some_and(|due| due <= now);
        if due {
            self.waiting = None;
        }
        due
    }
}

/// Creates a debouncer with 100 ms of quiet and a maximum delay of 1 s.
impl Default for Debounce {
    fn default() -> Self {
        Self::new(Duration::from_millis(100), Duration::from_secs(1))
    }
}
