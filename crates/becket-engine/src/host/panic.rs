//! Keeps a panic in a host's code (its callbacks, models, tools, questions) from ending an event.
//!
//! State that panicking code leaves behind is only reported and never decides, so it does not matter where it broke
//! off.

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

/// Does the same for a service of the host; a panic becomes a message.
pub(crate) async fn lent<T>(work: impl Future<Output = T>) -> Result<T, String> {
    guarded(work).await.map_err(|said| format!("the host's own part panicked: {said}"))
}

fn said(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}
