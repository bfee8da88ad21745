//! Signals that end this process end the hooks first: they run in separate sessions, which the signal does not reach.
//!
//! INVARIANT: a second signal ends this process at once, whatever is still running: pressing Ctrl-C again is deliberate.

use crate::FiringError;
use becket_engine::CancellationToken;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The first signal, if any.
#[derive(Debug, Clone, Default)]
pub struct Caught(Arc<AtomicU8>);

impl Caught {
    /// Returns its exit code, as in shells: 128 plus the number of the signal.
    pub fn exit_code(&self) -> Option<u8> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            number => Some(128_u8.saturating_add(number)),
        }
    }

    /// Ends the run as a signal would, since its result is no longer needed.
    pub fn as_if_terminated(&self) {
        const TERMINATED: u8 = 15;
        self.note(TERMINATED);
    }

    fn note(&self, number: u8) {
        // The first one counts.
        let _first = self.0.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Runs `work` to its end on a separate runtime; a signal cancels `cancel`, and the end is still awaited. At a second
/// signal it is dropped, and every process of a hook is killed with it.
///
/// # Errors
/// Errors with the error of `work`, without a runtime, or with [`FiringError::Interrupted`] after a second signal.
pub fn until_done<T, E: From<FiringError>>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    SignalRuntime::start(cancel, &Caught::default())?.until_done(work)
}

/// A runtime that listens for signals: from its start on none of them ends the process.
#[derive(Debug)]
pub struct SignalRuntime {
    runtime: tokio::runtime::Runtime,
    interrupt: Interrupt,
}

impl SignalRuntime {
    /// Starts listening. A signal cancels `cancel` once the work runs, and `caught` contains it.
    ///
    /// # Errors
    /// Errors without a runtime, or if no handler can be set.
    pub fn start(cancel: &CancellationToken, caught: &Caught) -> Result<Self, FiringError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        SignalRuntime::on(runtime.map_err(FiringError::Runtime)?, cancel, caught)
    }

    fn on(
        runtime: tokio::runtime::Runtime,
        cancel: &CancellationToken,
        caught: &Caught,
    ) -> Result<Self, FiringError> {
        let interrupt = {
            let _entered = runtime.enter();
            cancels(cancel, caught).map_err(FiringError::Runtime)?
        };
        Ok(SignalRuntime { runtime, interrupt })
    }

    /// Runs `work` to its end, like [`until_done`]; an earlier signal cancels it at once.
    ///
    /// # Errors
    /// Errors with the error of `work`, or with [`FiringError::Interrupted`] after a second signal.
    pub fn until_done<T, E: From<FiringError>>(
        self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let SignalRuntime { runtime, interrupt } = self;
        let cancel = interrupt.cancel.clone();
        let done = runtime.block_on(async {
            interrupt.while_running(work).await.unwrap_or_else(|| Err(FiringError::Interrupted.into()))
        });
        if cancel.is_cancelled() {
            // A blocked thread must not keep the process alive.
            runtime.shutdown_background();
        }
        done
    }
}

/// Does the same as [`until_done`], on the caller's runtime.
///
/// # Errors
/// See [`until_done`].
pub fn until_done_on<T, E: From<FiringError>>(
    runtime: tokio::runtime::Runtime,
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    SignalRuntime::on(runtime, cancel, &Caught::default())?.until_done(work)
}

/// Waits for signals during other work.
#[derive(Debug)]
struct Interrupt {
    cancel: CancellationToken,
    caught: Caught,
    #[cfg(unix)]
    signals: Vec<(u8, tokio::signal::unix::Signal)>,
}

/// Starts listening; a signal cancels the token.
///
/// # Errors
/// Errors if no handler can be set.
fn cancels(cancel: &CancellationToken, caught: &Caught) -> io::Result<Interrupt> {
    let (cancel, caught) = (cancel.clone(), caught.clone());
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = becket_process::ENDING.map(SignalKind::from_raw);
        let listener = |kind: SignalKind| {
            let number = u8::try_from(kind.as_raw_value()).unwrap_or(u8::MAX);
            signal(kind).map(|signal| (number, signal))
        };
        let signals = kinds.into_iter().map(listener).collect::<io::Result<Vec<_>>>()?;
        Ok(Interrupt { cancel, caught, signals })
    }
    #[cfg(not(unix))]
    Ok(Interrupt { cancel, caught })
}

impl Interrupt {
    /// Drives `work` to its end; after a signal it is cancelled, and its end is still awaited. `None` after another
    /// signal.
    async fn while_running<T>(mut self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        let cancel = self.cancel.clone();
        tokio::select! {
            done = &mut work => return Some(done),
            () = self.signal() => cancel.cancel(),
        }
        tokio::select! {
            done = &mut work => Some(done),
            () = self.signal() => None,
        }
    }

    #[cfg(unix)]
    async fn signal(&mut self) {
        std::future::poll_fn(|context| {
            let mut signals = self.signals.iter_mut();
            match signals.find_map(|(number, signal)| signal.poll_recv(context).is_ready().then_some(*number))
            {
                Some(number) => {
                    self.caught.note(number);
                    std::task::Poll::Ready(())
                }
                None => std::task::Poll::Pending,
            }
        })
        .await;
    }

    #[cfg(not(unix))]
    async fn signal(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.caught.note(2);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::{Command, id};

    fn hang_up() {
        let sent = Command::new("kill").args(["-HUP", &id().to_string()]).status();
        assert!(sent.is_ok_and(|sent| sent.success()));
    }

    /// One test, since all tests of this process hear its signals.
    // rule: L6
    #[test]
    fn one_signal_cancels_and_the_second_ends_what_does_not_end() {
        let cancel = CancellationToken::new();
        let caught = Caught::default();
        let listening = SignalRuntime::start(&cancel, &caught).expect("handlers");
        // It comes before the work.
        hang_up();
        let done = listening.until_done(async {
            cancel.cancelled().await;
            tokio::task::yield_now().await;
            Ok::<_, FiringError>(7)
        });
        assert!(matches!(done, Ok(7)), "the end is waited for: {done:?}");
        assert_eq!(caught.exit_code(), Some(129));
        let (cancel, cancelled) = (CancellationToken::new(), CancellationToken::new());
        let done: Result<(), FiringError> = until_done(&cancel.clone(), async {
            // A thread that can't be ended.
            let stuck =
                tokio::task::spawn_blocking(|| std::thread::sleep(std::time::Duration::from_secs(3600)));
            hang_up();
            cancel.cancelled().await;
            cancelled.cancel();
            hang_up();
            drop(stuck.await);
            Ok(())
        });
        assert!(cancelled.is_cancelled() && matches!(done, Err(FiringError::Interrupted)), "{done:?}");
    }
}
