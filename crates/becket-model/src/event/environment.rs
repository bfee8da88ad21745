//! Events about the environment: settings, directories, files, worktrees; one struct per event, fields in wire order.
//!
//! Text whose set of values is open (a `source`, a `reason`) stays a `String`: a host may send values that are newer than this crate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A configuration file has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ConfigChange {
    /// The kind of settings that changed.
    pub source: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
}

/// The working directory has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CwdChanged {
    /// The previous directory.
    pub old_cwd: String,
    /// The new directory.
    pub new_cwd: String,
}

/// A working directory was added to the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DirectoryAdded {
    /// The directory that was added.
    pub directory: String,
    /// The way in which it was added.
    pub source: String,
}

/// A watched file has changed on disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FileChanged {
    /// The file.
    pub file_path: String,
    /// `add`, `change` or `unlink`.
    pub event: String,
}

/// A worktree is requested; the hook creates it instead of the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct WorktreeCreate {
    /// The requested name.
    pub name: String,
}

/// A worktree is about to be removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct WorktreeRemove {
    /// The path of the worktree.
    pub worktree_path: String,
}
