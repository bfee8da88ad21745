//! Long lines, which may contain a command whose analysis takes a while.
//!
//! The analysis is bounded ([`becket_rules`]), but a client may send one long command after another. So long lines are
//! processed on threads that serve no client meanwhile, and the number of concurrent ones is limited.
//!
//! INVARIANT: a line waits for a permit only behind other long ones.

use std::future::poll_fn;
use std::pin::Pin;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::block_in_place;

/// The length in bytes above which a line is long.
pub(super) const LONG: usize = 2_048;

/// The limit on long lines that are processed concurrently.
pub(super) struct LongLineLimit {
    permits: Semaphore,
}

impl Default for LongLineLimit {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        LongLineLimit { permits: Semaphore::new(processors.div_ceil(2)) }
    }
}

impl LongLineLimit {
    /// Waits for a permit to process a line; a line that is not long needs none.
    pub(super) async fn acquire(&self, length: usize) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        if length > LONG { self.permits.acquire().await.ok() } else { None }
    }
}

/// Runs work on this thread, which the runtime replaces meanwhile.
pub(super) fn run_blocking<T>(work: impl FnOnce() -> T) -> T {
    let is_replaced =
        Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if is_replaced { block_in_place(work) } else { work() }
}

/// Runs a future, polling it as in [`run_blocking`].
pub(super) async fn poll_blocking<F: Future>(mut future: Pin<Box<F>>) -> F::Output {
    poll_fn(|context| run_blocking(|| future.as_mut().poll(context))).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_testkit::proc::PATIENCE;
    use std::sync::mpsc::{Receiver, channel};
    use tokio::runtime::Builder;

    /// Runs work that waits for another task, on a runtime with one thread for both.
    fn waits_for_another_task<W>(work: impl FnOnce(Receiver<()>) -> W + Send + 'static) -> bool
    where
        W: Future<Output = bool> + Send + 'static,
    {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        runtime.block_on(async {
            let (release, released) = channel();
            let (start, started) = tokio::sync::oneshot::channel();
            let waiting = tokio::spawn(async move {
                start.send(()).unwrap();
                work(released).await
            });
            started.await.unwrap();
            tokio::spawn(async move { release.send(()) });
            waiting.await.unwrap()
        })
    }

    // rule: P6
    #[test]
    fn other_tasks_go_on_while_a_long_line_is_processed() {
        assert!(waits_for_another_task(|released| async move {
            run_blocking(|| released.recv_timeout(PATIENCE).is_ok())
        }));
        assert!(waits_for_another_task(|released| {
            poll_blocking(Box::pin(async move { released.recv_timeout(PATIENCE).is_ok() }))
        }));
    }
}
