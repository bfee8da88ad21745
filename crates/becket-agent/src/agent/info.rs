//! Facts about a new session for the host to display.

use becket_model::event::PermissionMode;
use std::path::PathBuf;

/// The current state of a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Info {
    /// The session's id.
    pub id: String,
    /// The session's title, if it has one.
    pub title: Option<String>,
    /// The path of the transcript.
    pub transcript_path: PathBuf,
    /// The working directory.
    pub cwd: PathBuf,
    /// The name of the model.
    pub model: String,
    /// The permission mode.
    pub mode: PermissionMode,
    /// The tools that are offered to the model.
    pub tools: Vec<String>,
    /// The commands that the user can type, without their slash.
    pub commands: Vec<String>,
    /// The paths that hooks want to watch.
    pub watched: Vec<PathBuf>,
}
