//! The threads that all engines of a process share. They are created on first use, and end with the process.

use std::sync::OnceLock;
use tokio::runtime::{Builder, Handle, Runtime};

static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();

/// The number of threads that work for hooks. They are nearly always idle.
const THREADS: usize = 2;

/// The threads.
///
/// # Errors
/// Errors if the system can't create threads.
pub(crate) fn handle() -> Result<&'static Handle, String> {
    let made =
        || Builder::new_multi_thread().worker_threads(THREADS).thread_name("becket").enable_all().build();
    let runtime = RUNTIME.get_or_init(|| made().map_err(|error| error.to_string()));
    runtime.as_ref().map(Runtime::handle).map_err(|why| format!("no threads for the engine: {why}"))
}
