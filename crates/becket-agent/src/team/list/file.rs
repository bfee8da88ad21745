//! A shared task list on disk.

use super::super::shared_file::SharedFile;
use super::change::{Change, ChangeError};
use super::task::{ListedTask, Status};
use super::tasks::{ChangedTask, ListedTasks};
use becket_engine::CancellationToken;
use std::path::Path;

/// The name of the file in its directory.
const FILE: &str = "tasks.json";

/// A shared task list on disk, which any number of processes may use concurrently. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TaskFile {
    file: SharedFile,
}

impl TaskFile {
    /// Creates a handle to the list in this directory, which is created with the first task, accessible only to the
    /// user.
    #[must_use]
    pub fn new(directory: &Path) -> Self {
        Self { file: SharedFile::new(directory.join(FILE)) }
    }

    /// Returns all tasks.
    pub(crate) async fn all(&self, cancel: &CancellationToken) -> Result<ListedTasks, ChangeError> {
        Ok(self.file.read(cancel).await?)
    }

    /// Reserves a number for a task that may be added later.
    pub(crate) async fn reserve(&self, cancel: &CancellationToken) -> Result<String, ChangeError> {
        self.changed(cancel, ListedTasks::reserve).await
    }

    /// Adds a task whose number was reserved.
    pub(crate) async fn add(&self, task: ListedTask, cancel: &CancellationToken) -> Result<(), ChangeError> {
        self.changed(cancel, |tasks| {
            tasks.add(task);
            Ok(())
        })
        .await
    }

    /// Changes a task, completely or not at all.
    pub(crate) async fn change(
        &self,
        id: &str,
        change: Change,
        who: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<ChangedTask, ChangeError> {
        let (id, who) = (id.to_owned(), who.map(str::to_owned));
        self.changed(cancel, move |tasks| tasks.change(&id, &change, who.as_deref())).await
    }

    /// Releases the tasks of an owner that no longer works.
    pub(crate) async fn release(&self, owner: &str) -> Result<(), ChangeError> {
        let never = CancellationToken::new();
        if self.all(&never).await?.in_progress_of(owner).is_empty() {
            return Ok(());
        }
        let owner = owner.to_owned();
        self.changed(&never, move |tasks| {
            tasks.release(&owner);
            Ok(())
        })
        .await
    }

    async fn changed<R: Send + 'static>(
        &self,
        cancel: &CancellationToken,
        change: impl FnOnce(&mut ListedTasks) -> Result<R, ChangeError> + Send + 'static,
    ) -> Result<R, ChangeError> {
        self.file.change(cancel, change).await
    }
}

impl ListedTask {
    /// Creates a task without an owner.
    pub(crate) fn new(id: String, subject: &str, description: &str) -> Self {
        Self {
            id,
            subject: subject.to_owned(),
            description: description.to_owned(),
            active_form: None,
            status: Status::Pending,
            owner: None,
            blocked_by: Vec::new(),
            metadata: serde_json::Map::new(),
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
