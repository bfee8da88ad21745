//! Work on files, outside of the runtime's threads, that stops when its caller has gone.
//!
//! INVARIANT: work that checks its [`Stop`] between steps ends soon after the call is cancelled, dropped or out of
//! time.

use becket_engine::CancellationToken;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The reason why work ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockingError {
    /// The call was cancelled, or its future dropped.
    #[error("the call was cancelled before it was done")]
    Cancelled,
    /// The call took longer than a tool may.
    #[error("the call took longer than {} s: narrow it down", LIMIT.as_secs())]
    TooLong,
    /// The thread panicked, or the runtime is shutting down.
    #[error("the call was ended by the host: try again")]
    Lost,
}

/// The time limit for the work of one call on files.
pub const LIMIT: Duration = Duration::from_secs(30);

/// The signal that work checks between its steps.
#[derive(Debug, Clone)]
pub struct Stop {
    wanted: Arc<AtomicBool>,
    until: Instant,
}

impl Stop {
    fn new(limit: Duration) -> Self {
        Self { wanted: Arc::default(), until: Instant::now() + limit }
    }

    /// Returns an error once the work has to end.
    pub fn check(&self) -> Result<(), BlockingError> {
        if self.wanted.load(Ordering::Relaxed) {
            return Err(BlockingError::Cancelled);
        }
        if Instant::now() >= self.until { Err(BlockingError::TooLong) } else { Ok(()) }
    }
}

/// Ends the work when the future that waits for it is dropped.
struct OnDrop(Stop);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.wanted.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` on a blocking thread. A cancelled call returns at once; its thread stops at the next [`Stop::check`].
pub async fn blocking<T: Send + 'static>(
    cancel: &CancellationToken,
    work: impl FnOnce(&Stop) -> Result<T, BlockingError> + Send + 'static,
) -> Result<T, BlockingError> {
    let stop = Stop::new(LIMIT);
    let guard = OnDrop(stop.clone());
    let thread = tokio::task::spawn_blocking(move || work(&stop));
    let answer = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(BlockingError::Cancelled),
        answer = thread => answer.unwrap_or(Err(BlockingError::Lost)),
    };
    drop(guard);
    answer
}

/// A reader that returns an error once the work has to end.
pub struct StoppableReader<'a, R> {
    inner: R,
    stop: &'a Stop,
}

impl<'a, R> StoppableReader<'a, R> {
    /// Reads from `inner` until `stop` ends the work.
    pub fn new(inner: R, stop: &'a Stop) -> Self {
        Self { inner, stop }
    }
}

impl<R: Read> Read for StoppableReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stop.check().map_err(io::Error::other)?;
        self.inner.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Returns work that only its `Stop` ends, and that reports its end.
    fn endless(
        sender: mpsc::Sender<BlockingError>,
    ) -> impl FnOnce(&Stop) -> Result<(), BlockingError> + Send {
        move |stop| loop {
            if let Err(why) = stop.check() {
                sender.send(why).unwrap();
                return Err(why);
            }
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn work_ends_when_its_future_is_dropped() {
        let (sender, ended) = mpsc::channel();
        let cancel = CancellationToken::new();
        let soon = tokio::time::timeout(Duration::from_millis(20), blocking(&cancel, endless(sender))).await;
        assert!(soon.is_err());
        assert_eq!(ended.recv_timeout(Duration::from_secs(30)), Ok(BlockingError::Cancelled));
    }

    #[tokio::test]
    async fn work_ends_when_the_call_is_cancelled() {
        let (sender, ended) = mpsc::channel();
        let cancel = CancellationToken::new();
        cancel.cancel();
        assert_eq!(blocking(&cancel, endless(sender)).await, Err(BlockingError::Cancelled));
        // If the thread has not started, it reports nothing.
        assert!(matches!(ended.recv_timeout(Duration::from_secs(30)), Ok(BlockingError::Cancelled)));
    }

    #[test]
    fn time_runs_out() {
        let stop = Stop::new(Duration::ZERO);
        assert_eq!(stop.check(), Err(BlockingError::TooLong));
        let mut byte = [0];
        assert!(StoppableReader::new(&b"x"[..], &stop).read(&mut byte).is_err());
    }
}
