//! The changes to MCP servers that the host has requested.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use tokio::sync::MutexGuard;

/// The server changes that the host has requested.
#[derive(Debug, Default)]
pub(in crate::commands::run) struct HostServerChanges {
    changing: tokio::sync::Mutex<()>,
    servers: Mutex<ChangedServers>,
}

/// The servers that the host has changed.
#[derive(Debug, Clone, Default)]
pub(in crate::commands::run) struct ChangedServers {
    /// The disabled servers.
    pub(in crate::commands::run) off: BTreeSet<String>,
    /// The servers of the last `mcp_set_servers`.
    pub(in crate::commands::run) more: BTreeSet<String>,
}

impl HostServerChanges {
    /// Waits until no other change is in progress.
    pub(in crate::commands::run) async fn lock(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().await
    }

    /// Returns the changes so far.
    pub(in crate::commands::run) fn get(&self) -> ChangedServers {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records a change.
    pub(in crate::commands::run) fn change(&self, change: impl FnOnce(&mut ChangedServers)) {
        change(&mut self.servers.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
