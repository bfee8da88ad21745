//! A task of a shared list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No teammate works on it.
    Pending,
    /// Its owner works on it.
    InProgress,
    /// It is done.
    Completed,
}

impl Status {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}

/// A task of a shared list. Background tasks of a session are another thing: [`becket_tools::tasks`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListedTask {
    /// A number, which no other task of the list has or will have.
    pub id: String,
    /// The work, in one line.
    pub subject: String,
    /// The same at length.
    #[serde(default)]
    pub description: String,
    /// Shown while a teammate works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Current status.
    pub status: Status,
    /// The teammate that works on it, or is to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The tasks that have to be completed before it is begun.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
    /// Free metadata.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl ListedTask {
    /// Returns whether a hook sees both as the same: its decision on one holds for the other.
    pub(crate) fn reads_as(&self, other: &Self) -> bool {
        self.subject == other.subject
            && self.description == other.description
            && self.status == other.status
            && self.owner == other.owner
    }
}
