//! Long lines, which may hold a command whose analysis takes a while.
//!
//! The analysis is bounded ([`becket_rules`]), but a client may send one long command after the other. So a long line is
//! worked on beside the threads that serve all clients, and only so many of them at once: the others go on meanwhile.
//!
//! INVARIANT: a line waits for its turn here only behind other long ones.

use std::future::poll_fn;
use std::pin::Pin;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::block_in_place;

/// A line of more bytes is a long one.
pub(super) const LONG: usize = 2_048;

/// The limit on long lines that are worked on concurrently.
pub(super) struct Aside {
    places: Semaphore,
}

impl Default for Aside {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Aside { places: Semaphore::new(processors.div_ceil(2)) }
    }
}

impl Aside {
    /// Waits for a place; a line that is not long needs none.
    pub(super) async fn acquire(&self, length: usize) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        if length > LONG { self.places.acquire().await.ok() } else { None }
    }
}

/// Does work on this thread, which another one replaces meanwhile.
pub(super) fn beside<T>(work: impl FnOnce() -> T) -> T {
    let is_replaced =
        Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if is_replaced { block_in_place(work) } else { work() }
}

/// Goes on with a future in the same way, each time that it is woken.
pub(super) async fn beside_all<F: Future>(mut future: Pin<Box<F>>) -> F::Output {
    poll_fn(|context| beside(|| future.as_mut().poll(context))).await
}
