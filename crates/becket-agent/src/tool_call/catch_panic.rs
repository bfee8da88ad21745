//! Keeps a panic in a tool, or in the code that asks a person, from taking more than the call with it.

use futures_util::FutureExt;
use std::any::Any;
use std::panic::AssertUnwindSafe;

/// Returns the result of the work, or the message of its panic. Its traces are reported and never influence a decision.
pub(crate) async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|payload| said(&*payload))
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}
