//! How much memory the bodies of all clients may take together.
//!
//! A body takes its room before it is read, all that it may come to, and waits for it without holding anything. So no two
//! that have come halfway wait for each other, and a body that has room ends in time, one way or the other. Short ones
//! have room of their own: what is asked for in passing is heard while long ones wait.
//!
//! INVARIANT: room is given back only where the bytes that it stands for are gone.

use super::super::lines::LIMIT;
use super::refusal::Refusal;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Up to here a body is short, in bytes.
pub(super) const SHORT: usize = 64 << 10;
/// What all short bodies together may hold, in bytes: one for each connection of TCP.
const SHORT_ONES: usize = 64 << 20;
/// What all others together may hold, in bytes.
const LONG_ONES: usize = 128 << 20;
/// For how long a body may wait for room.
const WAIT: Duration = Duration::from_secs(10);

/// The room of all clients.
pub(super) struct Room {
    short: Arc<Semaphore>,
    long: Arc<Semaphore>,
}

/// Room that is taken, until it is dropped.
#[derive(Debug)]
pub(super) struct Taken(OwnedSemaphorePermit);

impl Default for Room {
    fn default() -> Self {
        let of = |bytes| Arc::new(Semaphore::new(bytes));
        Room { short: of(SHORT_ONES), long: of(LONG_ONES) }
    }
}

impl Room {
    /// Takes room for so many bytes, as soon as there is some. No message is longer than what there is.
    ///
    /// # Errors
    /// There is none for too long.
    pub(super) async fn take(&self, bytes: usize) -> Result<Taken, Refusal> {
        let room = if bytes <= SHORT { &self.short } else { &self.long };
        let size = u32::try_from(bytes.min(LIMIT)).unwrap_or(u32::MAX);
        let taken = timeout(WAIT, room.clone().acquire_many_owned(size)).await;
        taken.ok().and_then(Result::ok).map(Taken).ok_or(Refusal::Full)
    }
}

impl Taken {
    /// For how many bytes there is room.
    pub(super) fn bytes(&self) -> usize {
        self.0.num_permits()
    }

    /// Gives back what is more than so many bytes.
    pub(super) fn shrink(&mut self, bytes: usize) {
        let surplus = self.bytes().saturating_sub(bytes);
        drop(self.0.split(surplus));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    // rule: L3
    #[tokio::test]
    async fn long_bodies_wait_for_each_other_and_short_ones_do_not() {
        let room = Room::default();
        let mut taken = Vec::new();
        for _ in 0..LONG_ONES / LIMIT {
            taken.push(room.take(LIMIT).await.expect("there is room"));
        }
        let mut waiting = std::pin::pin!(room.take(LIMIT));
        assert!(waiting.as_mut().now_or_never().is_none());
        assert_eq!(room.take(SHORT).await.expect("there is room").bytes(), SHORT);
        taken[0].shrink(LIMIT / 2);
        assert!(waiting.as_mut().now_or_never().is_none(), "half of it is not enough");
        taken[1].shrink(LIMIT / 2);
        assert_eq!(waiting.await.expect("there is room").bytes(), LIMIT);
        assert!(room.take(SHORT + 1).now_or_never().is_some(), "it is given back");
    }
}
