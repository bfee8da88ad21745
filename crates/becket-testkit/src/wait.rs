//! Waits of asynchronous tests, which do not block the runtime: for facts, never for time.

use crate::proc::PATIENCE;
use std::panic::Location;
use std::time::{Duration, Instant};

/// Waits until `condition` is true.
///
/// # Panics
/// Panics with `what` if it is not within [`PATIENCE`].
#[track_caller]
pub fn until(what: &str, mut condition: impl FnMut() -> bool) -> impl Future<Output = ()> {
    let (what, caller, start) = (what.to_owned(), Location::caller(), Instant::now());
    async move {
        while !condition() {
            assert!(start.elapsed() < PATIENCE, "{caller}: not in time: {what}");
            tick().await;
        }
    }
}

/// Returns the first value of `poll` that is `Some`.
///
/// # Panics
/// Panics with `what` if there is none within [`PATIENCE`].
pub async fn eventually<T>(what: &str, mut poll: impl AsyncFnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = poll().await {
            return value;
        }
        assert!(start.elapsed() < PATIENCE, "not in time: {what}");
        tick().await;
    }
}

/// Returns whether `condition` stays true for all of `duration`: for what must not happen.
pub async fn holds_for(duration: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while condition() {
        if start.elapsed() > duration {
            return true;
        }
        tick().await;
    }
    false
}

async fn tick() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}
