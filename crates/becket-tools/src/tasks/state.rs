//! One task, as seen by both the registry and the work itself.

use super::id::TaskId;
use super::output::Output;
use super::task::{Observer, TaskEnd, TaskInfo, TaskKind, TaskStatus};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// The state of a task.
#[derive(Debug)]
pub(super) struct State {
    pub(super) id: TaskId,
    pub(super) kind: TaskKind,
    pub(super) description: String,
    pub(super) file: PathBuf,
    pub(super) output: Output,
    pub(super) status: watch::Sender<TaskStatus>,
    /// True once the model knows its end.
    pub(super) reported: AtomicBool,
}

impl State {
    pub(super) fn info(&self) -> TaskInfo {
        TaskInfo {
            id: self.id.clone(),
            kind: self.kind.clone(),
            description: self.description.clone(),
            status: self.status.borrow().clone(),
            output_file: self.file.clone(),
            output_bytes: self.output.byte_count(),
        }
    }

    pub(super) fn is_running(&self) -> bool {
        *self.status.borrow() == TaskStatus::Running
    }

    /// Returns whether it was stopped.
    pub(super) fn is_killed(&self) -> bool {
        *self.status.borrow() == TaskStatus::Ended(TaskEnd::Killed)
    }

    /// Returns whether it has ended and the model does not know that yet.
    pub(super) fn is_news(&self) -> bool {
        !self.is_running() && !self.reported.load(Ordering::Acquire)
    }

    /// Records that the model knows the state, or need not. Returns false if it already knew.
    pub(super) fn mark_reported(&self) -> bool {
        !self.reported.swap(true, Ordering::AcqRel)
    }

    /// Resolves once it has ended. Cancel-safe.
    pub(super) async fn ended(&self) {
        // INVARIANT: `self` owns the sender, so the channel can't close while this waits.
        let _ = self.status.subscribe().wait_for(|status| *status != TaskStatus::Running).await;
    }
}

/// A guard owned by the work: whatever happens to the work, the task gets an end.
pub(super) struct EndGuard {
    pub(super) state: Arc<State>,
    pub(super) news: watch::Sender<()>,
    pub(super) observer: Option<Observer>,
}

impl EndGuard {
    /// Ends the task. Only the first end counts.
    pub(super) fn end(&self, end: TaskEnd) {
        if !self.state.is_running() {
            return;
        }
        self.state.output.finish();
        self.state.status.send_replace(TaskStatus::Ended(end));
        self.news.send_replace(());
        if let Some(observer) = &self.observer {
            observer(&self.state.info());
        }
    }
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.end(TaskEnd::Killed);
    }
}
