//! Processes that may still be ending when a run is over: they were asked to end, and have a moment to do so.

use becket_engine::Engine;
use becket_process::Runner;
use std::sync::OnceLock;
use std::time::Duration;

/// A little more than a process has between being asked and being killed.
const MOMENT: Duration = Duration::from_secs(2);

/// The processes of a run.
#[derive(Debug, Default)]
pub(super) struct RunProcesses {
    /// Runs what tools start.
    pub(super) runner: Runner,
    hooks: OnceLock<Engine>,
}

impl RunProcesses {
    /// Those of hooks, too.
    pub(super) fn of(&self, engine: &Engine) {
        self.hooks.get_or_init(|| engine.clone());
    }

    /// Waits until none is left, as long as that may take at most.
    pub(super) fn wait(&self) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { return };
        runtime.block_on(async {
            let hooks = async {
                if let Some(engine) = self.hooks.get() {
                    engine.close().await;
                }
            };
            let all = async { tokio::join!(hooks, self.runner.all_gone()) };
            // Whoever asked twice waits no longer than that.
            drop(tokio::time::timeout(MOMENT, all).await);
        });
    }
}
