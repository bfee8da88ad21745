//! Work on a runtime of several threads.

use crate::error::CliError;
use crate::interrupt;
use becket_engine::CancellationToken;
use becket_fire::FiringError;

/// Runs work like [`interrupt::until_done`], but on several threads, so that one client does not delay the others.
///
/// # Errors
/// Errors as [`interrupt::until_done`] does.
pub(crate) fn until_done_on_threads<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, CliError>>,
) -> Result<T, CliError> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(FiringError::Runtime)?;
    interrupt::until_done_on(runtime, cancel, work)
}
