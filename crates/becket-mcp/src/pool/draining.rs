//! Connections that were replaced: their active calls get a little more time, then they are ended.
//!
//! INVARIANT: a draining connection is owned here until nothing of it remains.

use std::sync::{Arc, Mutex, PoisonError};

use becket_process::CancellationToken;
use futures_util::future::join_all;
use tokio::time::timeout;

use super::attempt::Attempt;
use super::common::Common;
use crate::owned_task::OwnedTask;

/// The draining connections.
#[derive(Default)]
pub(super) struct DrainingConnections(Mutex<Vec<OwnedTask>>);

impl DrainingConnections {
    /// Ends an attempt once no call is active, or the grace is over, or the pool is closed. The returned token fires
    /// when nothing of it remains.
    pub(super) fn drain(&self, common: &Arc<Common>, attempt: Arc<Attempt>) -> CancellationToken {
        let common = Arc::clone(common);
        let task = OwnedTask::spawn(async move {
            tokio::select! {
                biased;
                () = common.closed.cancelled() => {}
                _ = timeout(common.options.drain_grace, attempt.idle()) => {}
            }
            attempt.end(common.options.exit_grace).await;
            drop(attempt);
        });
        let over = task.over().clone();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |task: &OwnedTask| task.over().is_cancelled();
        let (done, under_way): (Vec<_>, Vec<_>) = std::mem::take(&mut *all).into_iter().partition(is_over);
        *all = under_way;
        all.push(task);
        drop((all, done));
        over
    }

    /// Waits until everything is drained.
    pub(super) async fn all_over(&self) {
        let all: Vec<CancellationToken> = {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter().map(|task| task.over().clone()).collect()
        };
        join_all(all.iter().map(CancellationToken::cancelled)).await;
    }
}
