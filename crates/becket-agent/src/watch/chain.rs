//! Tells changes that hooks make themselves from others, so that no hook feeds itself for ever. Pure.
//!
//! A change is an echo if a hook of a change still runs, or ended a moment ago: its author is unknown. A path may
//! change [`MOST`] times in a row of echoes; then it is not reported until there was a moment of rest.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum number of echoes in a row that are reported for a path.
pub(super) const MOST: u32 = 10;
/// Time after a hook in which a change may be its own.
pub(super) const ECHO: Duration = Duration::from_secs(1);

/// Changes since the last moment of rest.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// Hooks of changes that run.
    running: usize,
    /// End of the last hook.
    ended: Option<Instant>,
    told: HashMap<PathBuf, u32>,
}

/// Treatment of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// Hooks hear of it.
    Told,
    /// They don't: the path has changed too often among its own echoes. The first time the user hears of that.
    Muted { first: bool },
}

impl Chain {
    /// A path has changed.
    pub(super) fn changed(&mut self, path: &Path, now: Instant) -> Link {
        let is_echo = self.running > 0 || self.ended.is_some_and(|ended| now.duration_since(ended) < ECHO);
        if !is_echo {
            self.told.clear();
        }
        let told = self.told.entry(path.to_owned()).or_default();
        *told = told.saturating_add(1);
        match *told {
            told if told <= MOST => Link::Told,
            told => {
                // A muted change keeps the row alive: a hook outside of the session may be making it.
                self.ended = Some(now);
                Link::Muted { first: told == MOST + 1 }
            }
        }
    }

    /// Hooks of a change begin.
    pub(super) fn began(&mut self) {
        self.running += 1;
    }

    /// They have ended.
    pub(super) fn ended(&mut self, now: Instant) {
        self.running = self.running.saturating_sub(1);
        self.ended = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(chain: &mut Chain, path: &str, now: Instant) -> bool {
        chain.changed(Path::new(path), now) == Link::Told
    }

    #[test]
    fn a_row_of_echoes_ends_and_begins_anew_after_a_rest() {
        let (mut chain, mut now) = (Chain::default(), Instant::now());
        let mut round = |chain: &mut Chain, rest: Duration| {
            now += rest;
            let told = told(chain, "/a", now);
            if told {
                chain.began();
                chain.ended(now);
            }
            told
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
            assert!(told(&mut chain, "/a", now));
        }
        assert_eq!(chain.changed(Path::new("/a"), now), Link::Muted { first: true });
        assert_eq!(chain.changed(Path::new("/a"), now), Link::Muted { first: false });
        assert!(told(&mut chain, "/b", now));
    }

    #[test]
    fn two_paths_whose_hooks_change_each_other_come_to_rest() {
        let (mut chain, mut now) = (Chain::default(), Instant::now());
        let mut heard = 0;
        for n in 0..1000 {
            now += Duration::from_millis(100);
            let path = if n % 2 == 0 { "/a" } else { "/b" };
            if !told(&mut chain, path, now) {
                break;
            }
            heard += 1;
            chain.began();
            chain.ended(now);
        }
        assert_eq!(heard, 2 * MOST);
    }
}
