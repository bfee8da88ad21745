//! A task that its owner can end at once.
//!
//! Its future is in a slot that a task of the runtime polls and that the owner can empty: dropping the owner drops
//! everything that the future owns, whether the runtime still runs or not.
//!
//! INVARIANT: the slot is emptied when the work is over or its owner is dropped; the work is dropped outside the lock.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread::{self, ThreadId};

use becket_process::CancellationToken;
use tokio::task::JoinHandle;

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A task that runs as long as this lives.
pub(crate) struct OwnedTask {
    slot: Arc<Slot>,
    task: JoinHandle<()>,
    over: CancellationToken,
}

impl OwnedTask {
    /// Starts the task; must be called within a runtime.
    pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        let over = CancellationToken::new();
        let token = over.clone();
        let work: Work = Box::pin(async move {
            // Fires even when the work is dropped: then its end is all that is awaited.
            let _guard = token.drop_guard();
            work.await;
        });
        let slot = Arc::new(Slot { work: Mutex::new(Some(work)), ..Slot::default() });
        let polled = SlotRef(Arc::clone(&slot));
        let task = tokio::spawn(poll_fn(move |context| polled.0.poll(context)));
        Self { slot, task, over }
    }

    /// Returns a token that fires when the work is over or was dropped.
    pub(crate) fn over(&self) -> &CancellationToken {
        &self.over
    }
}

impl Drop for OwnedTask {
    fn drop(&mut self) {
        self.slot.empty();
        self.task.abort();
    }
}

/// A future that can be removed from the task that polls it.
#[derive(Default)]
struct Slot {
    work: Mutex<Option<Work>>,
    /// The thread that is polling.
    polling: Mutex<Option<ThreadId>>,
    /// True if the work has dropped its own owner.
    unwanted: AtomicBool,
}

impl Slot {
    fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut work = lock(&self.work);
        *lock(&self.polling) = Some(thread::current().id());
        let _mark = PollingMark(&self.polling);
        let polled = work.as_mut().map_or(Poll::Ready(()), |work| work.as_mut().poll(context));
        let is_over = polled.is_ready() || self.unwanted.load(Ordering::Acquire);
        let over = if is_over { work.take() } else { None };
        drop(work);
        drop(over);
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    }

    fn empty(&self) {
        // Within its own poll the lock is held below; the poll drops the work when it is done.
        if *lock(&self.polling) == Some(thread::current().id()) {
            self.unwanted.store(true, Ordering::Release);
            return;
        }
        let work = lock(&self.work).take();
        drop(work);
    }
}

/// A guard that marks the polling thread until the poll is over, however it ends.
struct PollingMark<'a>(&'a Mutex<Option<ThreadId>>);

impl Drop for PollingMark<'_> {
    fn drop(&mut self) {
        *lock(self.0) = None;
    }
}

/// The task's reference to the slot. If the runtime is gone, work that is no longer polled is dropped with it.
struct SlotRef(Arc<Slot>);

impl Drop for SlotRef {
    fn drop(&mut self) {
        self.0.empty();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::sync::OnceLock;

    #[tokio::test]
    async fn work_is_dropped_with_its_owner_there_and_then() {
        let held = Arc::new(());
        let work = Arc::clone(&held);
        let task = OwnedTask::spawn(async move {
            let _work = work;
            pending::<()>().await;
        });
        tokio::task::yield_now().await;
        let over = task.over().clone();
        assert_eq!((Arc::strong_count(&held), over.is_cancelled()), (2, false));
        drop(task);
        assert_eq!((Arc::strong_count(&held), over.is_cancelled()), (1, true));
    }

    #[tokio::test]
    async fn work_may_drop_its_own_owner() {
        let owner: Arc<Mutex<Option<OwnedTask>>> = Arc::default();
        let (own, held) = (Arc::clone(&owner), Arc::new(OnceLock::new()));
        let seen = Arc::clone(&held);
        let task = OwnedTask::spawn(async move {
            drop(lock(&own).take());
            seen.set(()).unwrap();
            pending::<()>().await;
        });
        let over = task.over().clone();
        *lock(&owner) = Some(task);
        over.cancelled().await;
        assert_eq!((held.get(), Arc::strong_count(&held)), (Some(&()), 1));
    }

    #[tokio::test]
    async fn work_that_is_done_says_so() {
        let task = OwnedTask::spawn(async {});
        task.over().cancelled().await;
        let panics = OwnedTask::spawn(async { panic!("as told") });
        panics.over().cancelled().await;
    }
}
