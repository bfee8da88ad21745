//! A requested change of a task. Pure.

use super::super::shared_file::SharedFileError;
use super::task::{ListedTask, Status};
use serde_json::{Map, Value};

/// The reason why a list was not changed; for the model.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// No such task.
    #[error("there is no task `{id}`{}", if .known.is_empty() { ": the list is empty".to_owned() } else { format!(": use one of `{}`", .known) })]
    Unknown {
        /// The requested id.
        id: String,
        /// The ids that there are.
        known: String,
    },
    /// Another teammate works on it.
    #[error("`{owner}` works on task #{id}: take another one, or ask `{owner}` or the lead")]
    Taken {
        /// The task.
        id: String,
        /// Its owner.
        owner: String,
    },
    /// Others come before it.
    #[error("task #{id} waits for #{open}: begin it when they are completed")]
    Waits {
        /// The task.
        id: String,
        /// The open tasks that it waits for.
        open: String,
    },
    /// Two would wait for each other.
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
    /// There are too many.
    #[error("the list holds {most} tasks, which is the most: delete some")]
    Full {
        /// Maximum number.
        most: usize,
    },
    /// The file can't be used.
    #[error("the list of tasks can't be used: {0}")]
    File(#[from] SharedFileError),
}

/// Target of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// This.
    Status(Status),
    /// The task goes.
    Deleted,
}

impl To {
    /// Reads the word on the wire.
    pub(crate) fn read(word: &str) -> Option<Self> {
        [Status::Pending, Status::InProgress, Status::Completed]
            .into_iter()
            .find(|status| status.as_str() == word)
            .map(Self::Status)
            .or_else(|| (word == "deleted").then_some(Self::Deleted))
    }
}

/// A requested change of a task; fields that are not set stay.
#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    /// Another subject.
    pub(crate) subject: Option<String>,
    /// Another description.
    pub(crate) description: Option<String>,
    /// Another text for the time of the work.
    pub(crate) active_form: Option<String>,
    /// New status.
    pub(crate) to: Option<To>,
    /// New owner; empty: none.
    pub(crate) owner: Option<String>,
    /// Tasks that wait for it from now on.
    pub(crate) add_blocks: Vec<String>,
    /// Tasks for which it waits from now on.
    pub(crate) add_blocked_by: Vec<String>,
    /// Metadata by name; null removes a name.
    pub(crate) metadata: Map<String, Value>,
    /// The task as its hooks have judged it: if it reads otherwise now, nothing is changed.
    pub(crate) judged: Option<ListedTask>,
}

impl Change {
    pub(super) fn deletes(&self) -> bool {
        self.to == Some(To::Deleted)
    }

    /// Returns an error if the caller may not change the task like this.
    pub(super) fn may_be_made(&self, task: &ListedTask, who: Option<&str>) -> Result<(), ChangeError> {
        if self.judged.as_ref().is_some_and(|judged| !judged.reads_as(task)) {
            return Err(ChangeError::Changed { id: task.id.clone() });
        }
        let takes = self.to.is_some() || self.owner.is_some();
        match (&task.owner, who) {
            (Some(owner), Some(who)) if takes && owner != who && task.status == Status::InProgress => {
                Err(ChangeError::Taken { id: task.id.clone(), owner: owner.clone() })
            }
            (Some(_) | None, _) => Ok(()),
        }
    }

    /// Changes the fields of the task. A teammate that begins a task without an owner becomes its owner.
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

    /// The fields of the task itself that are others.
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
