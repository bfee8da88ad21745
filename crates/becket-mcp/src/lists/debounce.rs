//! Debouncing of announcements that come in bursts: action follows once it is quiet, and after a limit if it never is.
//!
//! It has no timer and reads no clock; the caller asks for the due time, and passes in the current time.

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
    /// The first and the last announcement that was not acted on.
    waiting: Option<(Instant, Instant)>,
}

impl Debounce {
    /// Creates it with a `quiet` time, and a `longest` delay after the first announcement.
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
