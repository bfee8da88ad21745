//! What a host lends a session beside tools and models.

use super::Facts;
use becket_rules::PermissionUpdate;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Takes rule updates that came with a yes (P13).
pub trait TakeUpdates: Send + Sync {
    /// Applies them to a line of work, and to files where they say so.
    fn take(&self, facts: &Facts, updates: &[PermissionUpdate]) -> Taken;
}

/// What rule updates have changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Working directories that were added.
    pub directories: Vec<PathBuf>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// What a session does in the background: command lines, subagents.
pub trait Background: Send + Sync {
    /// What still runs, as Stop says it (`background_tasks`).
    fn running(&self) -> Vec<Map<String, Value>>;

    /// What has ended since the last call, in words for the model; each once.
    fn ended(&self) -> Vec<String>;

    /// Ends all of it and waits until it is gone.
    fn close(&self) -> BoxFuture<'_, ()>;
}
