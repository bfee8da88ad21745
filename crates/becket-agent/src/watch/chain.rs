//! Distinguishes changes that hooks make themselves from others, so that no hook triggers itself forever. Pure.
//!
//! A change is an echo if a hook of a change is still running, or has just ended: its author is unknown. For each path,
//! [`MOST`] echoes in a row are reported; then no more until there was a moment without changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The maximum number of echoes in a row that are reported for a path.
pub(super) const MOST: u32 = 10;
/// The time after a hook in which a change may be the hook's own.
pub(super) const ECHO: Duration = Duration::from_secs(1);

/// The changes since the last moment without echoes.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// The number of hooks of changes that are running.
    running: usize,
    /// The end of the last hook.
    ended: Option<Instant>,
    told: HashMap<PathBuf, u32>,
}

/// The way in which a change is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// The change is reported to hooks.
    Told,
    /// The change is not reported: the path has changed too often among its own echoes. The first time, the user is
    /// notified.
    Muted { first: bool },
}

impl Chain {
    /// Records a change of a path.
    pub(super) fn changed(&mut self, path: &Path, now: Instant) -> Link {
        let is_echo = self.running > 0 || self.ended.is_some_and(|ended| now.duration_since(ended) < ECHO);
        if !is_echo {
            self.told.clear();
        }
        let count = self.told.entry(path.to_owned()).or_default();
        *count = count.saturating_add(1);
        match *count {
            count if count <= MOST => Link::Told,
            count => {
                // A muted change extends the row: a hook outside the session may be making it.
                self.ended = Some(now);
                Link::Muted { first: count == MOST + 1 }
            }
        }
    }

    /// Records that the hook of a change has started.
    pub(super) fn began(&mut self) {
        self.running += 1;
    }

    /// Records that it has ended.
    pub(super) fn ended(&mut self, now: Instant) {
        self.running = self.running.saturating_sub(1);
        self.ended = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_reported(chain: &mut Chain, path: &str, now: Instant) -> bool {
        chain.changed(Path::new(path), now) == Link::Told
    }

    #[test]
    fn a_row_of_echoes_ends_and_begins_anew_after_a_rest() {
        let (mut chain, mut now) = (Chain::default(), Instant::now());
        let mut round = |chain: &mut Chain, rest: Duration| {
            now += rest;
            let is_reported = is_reported(chain, "/a", now);
            if is_reported {
                chain.began();
                chain.ended(now);
            }
            is_reported
        };
        let soon = Duration::from_millis(200);
        let heard = (0..100).filter(|_| round(&mut chain, soon)).count();
        assert_eq!(heard, MOST as usize);
        assert!(round(&mut chain, ECHO), "after a rest it is somebody else's change");
        let slowly = (0..50).filter(|_| round(&mut chain, ECHO)).count();
        assert_eq!(slowly, 50);
    }

    #[test]
    fn other_paths_are_heard_and_the_user_hears_once() {
        let (mut chain, now) = (Chain::default(), Instant::now());
        chain.began();
        for _ in 0..MOST {
            assert!(is_reported(&mut chain, "/a", now));
        }
        assert_eq!(chain.changed(Path::new("/a"), now), Link::Muted { first: true });
        assert_eq!(chain.changed(Path::new("/a"), now), Link::Muted { first: false });
        assert!(is_reported(&mut chain, "/b", now));
    }

    #[test]
    fn two_paths_whose_hooks_change_each_other_come_to_rest() {
        let (mut chain, mut now) = (Chain::default(), Instant::now());
        let mut heard = 0;
        for n in 0..1000 {
            now += Duration::from_millis(100);
            let path = if n % 2 == 0 { "/a" } else { "/b" };
            if !is_reported(&mut chain, path, now) {
                break;
            }
            heard += 1;
            chain.began();
            chain.ended(now);
        }
        assert_eq!(heard, 2 * MOST);
    }
}
