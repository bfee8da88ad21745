//! Signals that end this process end the hooks first: they run in sessions of their own, and nobody else would.
//!
//! INVARIANT: a second signal ends this process at once, whatever does not end: who presses Ctrl-C again means it.

use crate::error::CliError;
use becket_engine::CancellationToken;
use std::future::Future;
use std::io;
use std::pin::pin;

/// Runs `work` to its end on a runtime of its own; a signal cancels `cancel`, and the end is still waited for. At a
/// second signal it is dropped, and every process of a hook is killed with it.
///
/// # Errors
/// Those of `work`, where there is no runtime, and [`CliError::Interrupted`] after a second signal.
pub(crate) fn until_done<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, CliError>>,
) -> Result<T, CliError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Runtime)?;
    let done = runtime.block_on(async {
        let interrupt = cancels(cancel).map_err(CliError::Runtime)?;
        interrupt.while_running(work).await.unwrap_or(Err(CliError::Interrupted))
    });
    if cancel.is_cancelled() {
        // A thread that hangs must not hold the process up.
        runtime.shutdown_background();
    }
    done
}

/// Waits for a signal beside something else.
#[derive(Debug)]
struct Interrupt {
    cancel: CancellationToken,
    #[cfg(unix)]
    signals: Vec<tokio::signal::unix::Signal>,
}

/// Listens; a signal cancels the token.
///
/// # Errors
/// Where the system lets no handler be set.
fn cancels(cancel: &CancellationToken) -> io::Result<Interrupt> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let signals = kinds.into_iter().map(signal).collect::<io::Result<Vec<_>>>()?;
        Ok(Interrupt { cancel: cancel.clone(), signals })
    }
    #[cfg(not(unix))]
    Ok(Interrupt { cancel: cancel.clone() })
}

impl Interrupt {
    /// Drives `work` to its end; after a signal it is cancelled, and its end is still waited for. `None` after another
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
            let arrived = self.signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
            if arrived { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }

    #[cfg(not(unix))]
    async fn signal(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
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
        let done = until_done(&cancel.clone(), async {
            hang_up();
            cancel.cancelled().await;
            tokio::task::yield_now().await;
            Ok(7)
        });
        assert!(matches!(done, Ok(7)), "the end is waited for: {done:?}");
        let (cancel, heard) = (CancellationToken::new(), CancellationToken::new());
        let done: Result<(), CliError> = until_done(&cancel.clone(), async {
            // A thread that nobody can end.
            let stuck =
                tokio::task::spawn_blocking(|| std::thread::sleep(std::time::Duration::from_secs(3600)));
            hang_up();
            cancel.cancelled().await;
            heard.cancel();
            hang_up();
            drop(stuck.await);
            Ok(())
        });
        assert!(heard.is_cancelled() && matches!(done, Err(CliError::Interrupted)), "{done:?}");
    }
}
