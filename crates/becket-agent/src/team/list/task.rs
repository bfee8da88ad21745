//! A task of a shared list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No teammate works on it.
    Pending,
    /// The owner works on the task.
    InProgress,
    /// The task is done.
    Completed,
}

impl Status {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}

/// A task of a shared list. Not to be confused with background tasks of a session: [`becket_tools::tasks`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListedTask {
    /// A number that no other task of the list has or will have.
    pub id: String,
    /// A one-line summary of the work.
    pub subject: String,
    /// The full description of the work.
    #[serde(default)]
    pub description: String,
    /// The text to show while a teammate works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// The current status.
    pub status: Status,
    /// The teammate that works on the task, or is meant to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The tasks that must be completed before this one is started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
    /// Arbitrary metadata.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl ListedTask {
    /// Returns whether both look the same to a hook, so that its decision about one applies to the other.
    pub(crate) fn reads_as(&self, other: &Self) -> bool {
        self.subject == other.subject
            && self.description == other.description
            && self.status == other.status
            && self.owner == other.owner
    }
}
