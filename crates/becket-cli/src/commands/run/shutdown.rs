//! The processes that may still be ending when a run is over: they have received SIGTERM, and have a grace.

use becket_engine::Engine;
use becket_process::Runner;
use std::sync::OnceLock;
use std::time::Duration;

/// A time slightly longer than the grace between SIGTERM and SIGKILL.
const MOMENT: Duration = Duration::from_secs(2);

/// The processes of a run.
#[derive(Debug, Default)]
pub(super) struct RunProcesses {
    /// The runner of everything that tools start.
    pub(super) runner: Runner,
    hooks: OnceLock<Engine>,
}

impl RunProcesses {
    /// Adds the processes of hooks.
    pub(super) fn of(&self, engine: &Engine) {
        self.hooks.get_or_init(|| engine.clone());
    }

    /// Waits until no process is left, up to the limit.
    pub(super) fn wait(&self) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { return };
        runtime.block_on(async {
            let hooks = async {
                if let Some(engine) = self.hooks.get() {
                    engine.close().await;
                }
            };
            let all = async { tokio::join!(hooks, self.runner.all_gone()) };
            // After a second signal, nothing is awaited.
            drop(tokio::time::timeout(MOMENT, all).await);
        });
    }
}
