//! A shared count that can be awaited.

use std::time::Duration;

use tokio::sync::watch;

/// A shared count, equal to the number of living [`CountGuard`]s.
#[derive(Debug, Clone)]
pub(crate) struct Count(watch::Sender<usize>);

impl Count {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Increments the count for as long as the returned guard lives.
    pub(crate) fn one_more(&self) -> CountGuard {
        self.0.send_modify(|count| *count += 1);
        CountGuard(self.0.clone())
    }

    pub(crate) fn now(&self) -> usize {
        *self.0.borrow()
    }

    /// Resolves when the count is zero.
    pub(crate) async fn none(&self) {
        // INVARIANT: `self` holds the sender, so the channel can't close while this waits.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Returns a receiver of changes from now on.
    pub(crate) fn news(&self) -> News {
        News(self.0.subscribe())
    }
}

/// A guard that counts as one until it is dropped.
#[derive(Debug)]
pub(crate) struct CountGuard(watch::Sender<usize>);

impl Drop for CountGuard {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// A receiver of every change of a count since it was created.
#[derive(Debug)]
pub(crate) struct News(watch::Receiver<usize>);

impl News {
    /// Resolves at the next change, and in any case after `most`.
    pub(crate) async fn wait(&mut self, most: Duration) {
        // Neither a change nor its absence is an error: the caller looks again.
        let _ = tokio::time::timeout(most, self.0.changed()).await;
    }
}
