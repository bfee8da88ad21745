//! Keeps a panic in what the host lends, its models and its tools, from taking the event down with it.

use becket_model::Failure;
use futures_util::FutureExt;
use std::any::Any;
use std::panic::AssertUnwindSafe;

/// The work's own end, or what it panicked with.
///
/// What the work leaves behind is only told of, and never decided by: so it does not matter where it broke off.
pub(crate) async fn guarded<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|panic| panicked(&*panic))
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
    Failure::Model { message: format!("the host's own part panicked: {said}") }
}
