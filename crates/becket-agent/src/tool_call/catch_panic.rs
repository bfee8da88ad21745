//! Keeps a panic in a tool, or in the code that asks a person, from taking more than the call with it.

use becket_base::panic_message;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;

/// Returns the result of the work, or the message of its panic. Its traces are reported and never influence a decision.
pub(crate) async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|payload| panic_message(&*payload))
}
