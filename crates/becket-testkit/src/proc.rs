//! Processes seen from outside, through `/proc`: tests ask the system about leftovers, never the code under test.
//!
//! Linux only; elsewhere every list is empty and every number 0, so tests that rely on them belong behind
//! `cfg(target_os = "linux")`.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit of waits, long enough for any loaded machine; only a failing test reaches it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The name of the variable that contains a [`Marker`].
const VARIABLE: &str = "BECKET_TEST_MARK";

/// A unique environment variable: exactly the processes that inherit it belong to this test.
#[derive(Debug)]
pub struct Marker {
    value: String,
}

impl Marker {
    /// Creates a unique marker.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "no two are equal, so there is no default one")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { value: format!("{}-{number}-{:?}", std::process::id(), Instant::now()) }
    }

    /// Returns name and value of the variable, for the environment of a command.
    #[must_use]
    pub fn env(&self) -> (String, String) {
        (VARIABLE.into(), self.value.clone())
    }

    /// Returns the ids of the living processes that have it. Zombies have no environment.
    #[must_use]
    pub fn alive(&self) -> Vec<u32> {
        let wanted = format!("{VARIABLE}={}", self.value);
        let carries = |pid: &u32| {
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
        };
        ids().into_iter().filter(carries).collect()
    }

    /// Waits until exactly `count` processes have it, and fails if that does not happen.
    #[track_caller]
    pub fn wait_for(&self, count: usize) {
        assert!(
            wait_until(|| self.alive().len() == count),
            "{:?} carry the marker, not {count}",
            self.alive()
        );
    }
}

/// Waits until `condition` is true; returns false if it is not within [`PATIENCE`].
pub fn wait_until(condition: impl FnMut() -> bool) -> bool {
    wait_until_every(Duration::from_millis(5), condition)
}

/// Waits until `condition` is true, evaluating it once per `interval`: for conditions that are expensive, or have
/// effects. Returns false if it is not true within [`PATIENCE`].
pub fn wait_until_every(interval: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if condition() {
            return true;
        }
        if start.elapsed() > PATIENCE {
            return false;
        }
        thread::sleep(interval);
    }
}

/// Returns the first value of `poll` that is `Some`.
///
/// # Panics
/// Panics with `what` if there is none within [`PATIENCE`].
#[track_caller]
pub fn eventually<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let mut found = None;
    wait_until(|| {
        found = poll();
        found.is_some()
    });
    assert!(found.is_some(), "{what}: not within {PATIENCE:?}");
    found.expect("it was found")
}

/// Returns whether `condition` stays true for all of `duration`: for what must not happen.
pub fn holds_for(duration: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while condition() {
        if start.elapsed() > duration {
            return true;
        }
        thread::sleep(Duration::from_millis(5));
    }
    false
}

/// Returns the number of open descriptors of this process.
#[must_use]
pub fn open_descriptors() -> usize {
    // The directory itself is open while it is read.
    fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count().saturating_sub(1))
}

/// Returns the ids of children of this process that have ended and were not reaped.
#[must_use]
pub fn zombies() -> Vec<u32> {
    let own = std::process::id().to_string();
    let is_ours = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let mut fields = after_name.split_ascii_whitespace();
        fields.next() == Some("Z") && fields.next() == Some(own.as_str())
    };
    ids().into_iter().filter(is_ours).collect()
}

/// Returns the number of threads of this process.
#[must_use]
pub fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// Returns the resident memory of this process, in bytes.
#[must_use]
pub fn resident() -> u64 {
    status("VmRSS:")
}

/// Returns the peak resident memory of this process, in bytes.
#[must_use]
pub fn resident_peak() -> u64 {
    status("VmHWM:")
}

fn status(key: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let kib: u64 = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0);
    kib * 1024
}

fn ids() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_marker_finds_its_carrier_and_nobody_else() {
        let (marker, other) = (Marker::new(), Marker::new());
        let mut child = std::process::Command::new("sleep").arg("1000").envs([marker.env()]).spawn().unwrap();
        marker.wait_for(1);
        assert_eq!(marker.alive(), [child.id()]);
        assert!(other.alive().is_empty());
        child.kill().unwrap();
        assert!(wait_until(|| zombies().contains(&child.id())));
        child.wait().unwrap();
        assert!(marker.alive().is_empty());
        assert!(!zombies().contains(&child.id()));
    }

    #[test]
    fn the_numbers_of_this_process_are_real() {
        assert!(resident() > 100_000 && resident_peak() >= resident() / 2);
        assert!(open_descriptors() >= 3 && threads() >= 1);
    }
}
