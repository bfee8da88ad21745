//! Facts about a new session for the host to show.

use becket_model::event::PermissionMode;
use std::path::PathBuf;

/// A session as it is now.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Info {
    /// Its id.
    pub id: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its transcript.
    pub transcript_path: PathBuf,
    /// Its working directory.
    pub cwd: PathBuf,
    /// The model.
    pub model: String,
    /// The permission mode.
    pub mode: PermissionMode,
    /// The tools that the model is offered.
    pub tools: Vec<String>,
    /// The commands that the user may type, without their slash.
    pub commands: Vec<String>,
    /// The paths that hooks want to be watched.
    pub watched: Vec<PathBuf>,
}
