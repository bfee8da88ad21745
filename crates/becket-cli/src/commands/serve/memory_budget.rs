//! The shared memory of partial input: HTTP bodies, and lines of a Unix socket.
//!
//! Memory is reserved before it is filled, for the maximum length at once, and waiting for it takes none. So no two
//! partial inputs wait for each other, and each reservation ends in time. Short bodies have their own memory, and short
//! lines need none: small requests are served while long ones wait.
//!
//! INVARIANT: a reservation is released only after its bytes are freed.

use super::lines::LIMIT;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The maximum length of a short body or line, in bytes.
pub(super) const SHORT: usize = 64 << 10;
/// The limit on all short bodies together, in bytes: one for each TCP connection.
const SHORT_ONES: usize = 64 << 20;
/// The limit on all other input together, in bytes.
const LONG_ONES: usize = 128 << 20;
/// The time limit for a reservation.
const WAIT: Duration = Duration::from_secs(10);

/// The memory of all clients.
pub(super) struct MemoryBudget {
    short: Arc<Semaphore>,
    long: Arc<Semaphore>,
    /// The number of waiters for the memory of long input.
    waiting: AtomicUsize,
}

/// Reserved memory, released when dropped.
#[derive(Debug)]
pub(super) struct Reservation(OwnedSemaphorePermit);

impl Default for MemoryBudget {
    fn default() -> Self {
        let of = |bytes| Arc::new(Semaphore::new(bytes));
        MemoryBudget { short: of(SHORT_ONES), long: of(LONG_ONES), waiting: AtomicUsize::new(0) }
    }
}

impl MemoryBudget {
    /// Reserves this many bytes once they are available; returns `None` if they are not in time. No message is longer
    /// than the whole budget.
    pub(super) async fn take(&self, bytes: usize) -> Option<Reservation> {
        let is_short = bytes <= SHORT;
        let room = if is_short { &self.short } else { &self.long };
        let size = u32::try_from(bytes.min(LIMIT)).unwrap_or(u32::MAX);
        let _waits = (!is_short).then(|| Waits::new(&self.waiting));
        let taken = timeout(WAIT, room.clone().acquire_many_owned(size)).await;
        taken.ok().and_then(Result::ok).map(Reservation)
    }

    /// Returns true if there are waiters for the memory of long input.
    pub(super) fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }
}

impl Reservation {
    /// Returns the number of reserved bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.num_permits()
    }

    /// Releases all but this many bytes.
    pub(super) fn shrink(&mut self, bytes: usize) {
        let surplus = self.bytes().saturating_sub(bytes);
        drop(self.0.split(surplus));
    }
}

/// Counts as a waiter until dropped.
struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Waits(waiting)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    // rule: L3
    #[tokio::test]
    async fn long_ones_wait_for_each_other_and_short_ones_do_not() {
        let room = MemoryBudget::default();
        let mut taken = Vec::new();
        for _ in 0..LONG_ONES / LIMIT {
            taken.push(room.take(LIMIT).await.expect("there is room"));
        }
        assert!(!room.is_wanted());
        {
            let mut waiting = std::pin::pin!(room.take(LIMIT));
            assert!(waiting.as_mut().now_or_never().is_none());
            assert!(room.is_wanted());
            assert_eq!(room.take(SHORT).await.expect("there is room").bytes(), SHORT);
            taken[0].shrink(LIMIT / 2);
            assert!(waiting.as_mut().now_or_never().is_none(), "half of it is not enough");
            taken[1].shrink(LIMIT / 2);
            assert_eq!(waiting.await.expect("there is room").bytes(), LIMIT);
        }
        assert!(!room.is_wanted(), "nobody waits any more");
        assert!(room.take(SHORT + 1).now_or_never().is_some(), "it is given back");
    }
}
