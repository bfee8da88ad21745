//! Events that are fired without waiting for their hooks (L3); they end with the session at the latest.
//!
//! INVARIANT: no detached event outlives [`DetachedEvents::end`], or the last clone of a [`DetachedEvents`].

use crate::update::Notice;
use becket_engine::{CancellationToken, Engine, Outcome};
use becket_model::Event;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// The time that a shell waits for environment files that are being written.
const SHELL_WAITS: Duration = Duration::from_secs(5);

/// The detached events of a session. Cheap to clone.
#[derive(Clone)]
pub(crate) struct DetachedEvents {
    engine: Engine,
    inner: Arc<Inner>,
}

struct Inner {
    tasks: Mutex<JoinSet<()>>,
    /// Cancels the events that are running now; replaced for later events.
    end: Mutex<CancellationToken>,
    /// The number of running events that fill an environment file.
    filling: Mutex<usize>,
    filled: Notify,
}

/// Counts an event that fills an environment file, until dropped.
struct FillGuard(Arc<Inner>);

impl FillGuard {
    fn begin(inner: &Arc<Inner>) -> Self {
        *inner.filling.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(Arc::clone(inner))
    }
}

impl Drop for FillGuard {
    fn drop(&mut self) {
        *self.0.filling.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.filled.notify_waiters();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.end.get_mut().unwrap_or_else(PoisonError::into_inner).cancel();
    }
}

impl DetachedEvents {
    pub(crate) fn new(engine: Engine) -> Self {
        let inner = Inner {
            tasks: Mutex::default(),
            end: Mutex::default(),
            filling: Mutex::default(),
            filled: Notify::new(),
        };
        Self { engine, inner: Arc::new(inner) }
    }

    /// Fires an event without waiting. `then` receives its outcome, and whether the session has ended its hooks.
    pub(crate) fn start(&self, event: Event, then: impl FnOnce(&Event, &Outcome, bool) + Send + 'static) {
        let kind = event.kind();
        if !self.engine.host().has_any(kind) {
            return;
        }
        let filling = kind.spec().env_file.then(|| FillGuard::begin(&self.inner));
        let end = self.inner.end.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let engine = self.engine.clone();
        let work = async move {
            let outcome = engine.fire_until(&event, &end).await;
            drop(filling);
            then(&event, &outcome, end.is_cancelled());
        };
        let mut tasks = self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work);
    }

    /// Waits for hooks that fill environment files, before a shell reads them: at most 5 s (L3).
    pub(crate) async fn shell_may_start(&self) -> Result<(), Notice> {
        let none_left = async {
            loop {
                let notified = self.inner.filled.notified();
                if *self.inner.filling.lock().unwrap_or_else(PoisonError::into_inner) == 0 {
                    return;
                }
                notified.await;
            }
        };
        tokio::time::timeout(SHELL_WAITS, none_left).await.map_err(|_| {
            Notice::warning(format!(
                "hooks that set the environment still ran after {} s: a command runs without what they set",
                SHELL_WAITS.as_secs()
            ))
        })
    }

    /// Waits until all events have ended; those still running after `budget` are cancelled.
    pub(crate) async fn end(&self, budget: Duration) {
        let mut tasks = std::mem::take(&mut *self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        let end = std::mem::take(&mut *self.inner.end.lock().unwrap_or_else(PoisonError::into_inner));
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(budget, all).await.is_err() {
            end.cancel();
            while tasks.join_next().await.is_some() {}
        }
    }
}
