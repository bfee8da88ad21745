//! The settings that the host has set while the session is open.

use serde_json::{Map, Value};
use std::path::PathBuf;
use tokio::sync::{Mutex, MutexGuard};

/// The settings of the host. One change is in progress at a time.
#[derive(Debug, Default)]
pub(in crate::commands::run) struct HostSettings(Mutex<AppliedSettings>);

/// The settings that are in force.
#[derive(Debug, Clone, Default)]
pub(in crate::commands::run) struct AppliedSettings {
    /// The keys that the engine reads.
    pub(in crate::commands::run) keys: Map<String, Value>,
    /// The working directories that the settings have added.
    pub(in crate::commands::run) directories: Vec<PathBuf>,
}

impl HostSettings {
    /// Waits until no other change is in progress.
    pub(in crate::commands::run) async fn lock(&self) -> MutexGuard<'_, AppliedSettings> {
        self.0.lock().await
    }
}
