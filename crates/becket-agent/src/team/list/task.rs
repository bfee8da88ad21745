//! A task of a shared list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How far a task has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody works on it.
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

/// A task of a shared list. What goes on in the background of a session is another thing: [`crate::tasks`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedTask {
    /// A number, which no other task of the list has or will have.
    pub id: String,
    /// What is to be done, in one line.
    pub subject: String,
    /// The same at length.
    #[serde(default)]
    pub description: String,
    /// What is shown while somebody works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// How far it has come.
    pub status: Status,
    /// Who works on it, or is to: the name of a teammate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The tasks that have to be completed before it is begun.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
    /// Whatever somebody wants to keep beside it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl ListedTask {
    /// Whether two are the same to a hook: what it has judged of one holds for the other.
    pub(crate) fn reads_as(&self, other: &Self) -> bool {
        self.subject == other.subject
            && self.description == other.description
            && self.status == other.status
            && self.owner == other.owner
    }
}
