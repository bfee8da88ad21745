//! A requested change to a task. Pure.

use super::super::shared_file::SharedFileError;
use super::task::{ListedTask, Status};
use serde_json::{Map, Value};

/// The reason why a list was not changed, for the model.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The task does not exist.
    #[error("there is no task `{id}`{}", if .known.is_empty() { ": the list is empty".to_owned() } else { format!(": use one of `{}`", .known) })]
    Unknown {
        /// The requested id.
        id: String,
        /// The existing ids.
        known: String,
    },
    /// Another teammate works on it.
    #[error("`{owner}` works on task #{id}: take another one, or ask `{owner}` or the lead")]
    OwnedByOther {
        /// The task.
        id: String,
        /// The owner of the task.
        owner: String,
    },
    /// Other tasks must be completed first.
    #[error("task #{id} waits for #{open}: begin it when they are completed")]
    Waits {
        /// The task.
        id: String,
        /// The open tasks that must be completed first.
        open: String,
    },
    /// Two tasks would wait for each other.
    #[error("task #{id} can't wait for #{other}, which waits for it")]
    Circle {
        /// The task.
        id: String,
        /// The other one.
        other: String,
    },
    /// Another change came first.
    #[error("task #{id} was changed meanwhile: look at it with TaskGet, and decide again")]
    Changed {
        /// The task.
        id: String,
    },
    /// The list is full.
    #[error("the list has {most} tasks, which is the maximum: delete some")]
    Full {
        /// The maximum number of tasks.
        most: usize,
    },
    /// The file can't be used.
    #[error("the list of tasks can't be used: {0}")]
    File(#[from] SharedFileError),
}

/// A requested status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// The task gets this status.
    Status(Status),
    /// The task is deleted.
    Deleted,
}

impl To {
    /// Parses the name on the wire.
    pub(crate) fn read(word: &str) -> Option<Self> {
        [Status::Pending, Status::InProgress, Status::Completed]
            .into_iter()
            .find(|status| status.as_str() == word)
            .map(Self::Status)
            .or_else(|| (word == "deleted").then_some(Self::Deleted))
    }
}

/// A requested change to a task; fields that are not set are unchanged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    /// The new subject.
    pub(crate) subject: Option<String>,
    /// The new description.
    pub(crate) description: Option<String>,
    /// The new text to show during the work.
    pub(crate) active_form: Option<String>,
    /// The new status.
    pub(crate) to: Option<To>,
    /// The new owner; an empty text removes the owner.
    pub(crate) owner: Option<String>,
    /// The tasks that wait for this one from now on.
    pub(crate) add_blocks: Vec<String>,
    /// The tasks that this one waits for from now on.
    pub(crate) add_blocked_by: Vec<String>,
    /// Metadata by name; null removes an entry.
    pub(crate) metadata: Map<String, Value>,
    /// The task as its hooks have judged it: if it differs now, nothing is changed.
    pub(crate) judged: Option<ListedTask>,
}

impl Change {
    pub(super) fn deletes(&self) -> bool {
        self.to == Some(To::Deleted)
    }

    /// Returns an error if the caller may not make this change.
    pub(super) fn may_be_made(&self, task: &ListedTask, who: Option<&str>) -> Result<(), ChangeError> {
        if self.judged.as_ref().is_some_and(|judged| !judged.reads_as(task)) {
            return Err(ChangeError::Changed { id: task.id.clone() });
        }
        let takes = self.to.is_some() || self.owner.is_some();
        match (&task.owner, who) {
            (Some(owner), Some(who)) if takes && owner != who && task.status == Status::InProgress => {
                Err(ChangeError::OwnedByOther { id: task.id.clone(), owner: owner.clone() })
            }
            (Some(_) | None, _) => Ok(()),
        }
    }

    /// Changes the fields of the task. A teammate that starts a task without an owner becomes its owner.
    pub(super) fn fill(&self, task: &mut ListedTask, who: Option<&str>) {
        let to_status = self.to.and_then(|to| match to {
            To::Status(status) => Some(status),
            To::Deleted => None,
        });
        task.status = to_status.unwrap_or(task.status);
        if let Some(subject) = &self.subject {
            task.subject.clone_from(subject);
        }
        if let Some(description) = &self.description {
            task.description.clone_from(description);
        }
        if self.active_form.is_some() {
            task.active_form.clone_from(&self.active_form);
        }
        if let Some(owner) = &self.owner {
            task.owner = Some(owner.trim().to_owned()).filter(|owner| !owner.is_empty());
        } else if to_status == Some(Status::InProgress) && task.owner.is_none() {
            task.owner = who.map(str::to_owned);
        }
        for (name, value) in &self.metadata {
            match value.is_null() {
                true => drop(task.metadata.shift_remove(name)),
                false => drop(task.metadata.insert(name.clone(), value.clone())),
            }
        }
    }

    /// Returns the names of the task's own fields that differ.
    pub(super) fn differs(&self, before: &ListedTask, after: &ListedTask) -> Vec<&'static str> {
        let fields = [
            ("subject", before.subject != after.subject),
            ("description", before.description != after.description),
            ("activeForm", before.active_form != after.active_form),
            ("status", before.status != after.status),
            ("owner", before.owner != after.owner),
            ("metadata", before.metadata != after.metadata),
        ];
        fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }
}
