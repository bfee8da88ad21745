//! Keeps a panic in a host's code (its callbacks, models, tools, questions) from ending an event.
//!
//! State that panicking code leaves behind is only reported and never decides, so it does not matter at which point the
//! code panicked.

use becket_base::panic_message;
use futures_util::FutureExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the result of a call, or the message of its panic.
pub(crate) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| panic_message(&*payload))
}

/// Returns the result of the work, or the message of its panic. State that it leaves behind is reported and never
/// affects a decision.
///
/// # Errors
/// The message of the panic.
pub async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|payload| panic_message(&*payload))
}

/// Works like [`catch_panic`] for a service of the host; a panic becomes a message.
pub(crate) async fn catch_service_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    catch_panic(work).await.map_err(|said| format!("the host's own part panicked: {said}"))
}
