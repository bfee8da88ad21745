//! Signals that end this process end the hooks first: they run in sessions of their own, and nobody else would.

use crate::error::CliError;
use becket_engine::CancellationToken;
use std::future::Future;
use std::io;
use std::pin::pin;

/// Runs `work` to its end on a runtime of its own; a signal cancels `cancel`, and the end is still waited for.
///
/// # Errors
/// Those of `work`, and where there is no runtime.
pub(super) fn until_done<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, CliError>>,
) -> Result<T, CliError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Runtime)?;
    runtime.block_on(async { cancels(cancel).map_err(CliError::Runtime)?.while_running(work).await })
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
    /// Drives `work` to its end; after a signal it is cancelled, and its end is still waited for.
    async fn while_running<T>(mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let cancel = self.cancel.clone();
        tokio::select! {
            done = &mut work => return done,
            () = self.signal() => cancel.cancel(),
        }
        work.await
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
