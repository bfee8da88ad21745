//! Keeps a panic in a host's code (its callbacks, models, tools, ways of asking) from taking an event down with it.
//!
//! What is left behind by code that panicked is told of and never decided by, so it does not matter where it broke off.

use futures_util::FutureExt;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The call's own end, or what it panicked with.
pub(crate) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(said)
}

/// The same of work that is waited for.
pub(crate) async fn guarded<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(said)
}

/// The same of what the host lends to a handler; a panic is told in words.
pub(crate) async fn lent<T>(work: impl Future<Output = T>) -> Result<T, String> {
    guarded(work).await.map_err(|said| format!("the host's own part panicked: {said}"))
}

fn said(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}
