//! Cleanup at the end of a JavaScript thread, the main one or a worker's.
//!
//! INVARIANT: hooks that are still running are ended before the thread is gone, unless that takes longer than
//! [`LIMIT`].

use crate::inner::Inner;
use crate::runtime;
use napi::Env;
use napi_derive::napi;
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The time limit; it exceeds the grace of a process that ignores SIGTERM.
const LIMIT: Duration = Duration::from_secs(4);

thread_local! {
    static ENGINES: RefCell<Vec<Weak<Inner>>> = const { RefCell::new(Vec::new()) };
    static IS_AWAITED: Cell<bool> = const { Cell::new(false) };
}

/// Registers this engine to be ended with its thread.
///
/// # Errors
/// Errors if Node accepts no more hooks of this kind.
pub(crate) fn with_thread(env: &Env, engine: &Arc<Inner>) -> napi::Result<()> {
    ENGINES.with_borrow_mut(|engines| {
        engines.retain(|engine| engine.strong_count() > 0);
        engines.push(Arc::downgrade(engine));
    });
    if !IS_AWAITED.replace(true) {
        env.add_env_cleanup_hook((), |()| end_all())?;
    }
    Ok(())
}

/// Ends all engines of this thread, and waits until they are. Node runs no cleanup hooks if a program calls
/// `process.exit` or throws: then JavaScript calls this.
#[napi(catch_unwind)]
pub(crate) fn end_all() {
    let engines: Vec<Arc<Inner>> = ENGINES.take().iter().filter_map(Weak::upgrade).collect();
    let Ok(threads) = runtime::handle() else { return };
    let all = futures_util::future::join_all(engines.iter().map(|engine| engine.close()));
    // A process that survives even SIGKILL is left running: the thread must end.
    drop(threads.block_on(async { tokio::time::timeout(LIMIT, all).await }));
}
