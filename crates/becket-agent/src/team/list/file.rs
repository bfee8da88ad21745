//! A shared list of tasks on the disk.

use super::super::shared_file::SharedFile;
use super::change::{Change, ChangeError};
use super::task::{ListedTask, Status};
use super::tasks::{ChangedTask, ListedTasks};
use becket_engine::CancellationToken;
use std::path::Path;

/// The name of the file in its directory.
const FILE: &str = "tasks.json";

/// A shared list of tasks on the disk: any number of processes may work with it at once. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TaskFile {
    file: SharedFile,
}

impl TaskFile {
    /// The list in this directory, which is made, for the user only, with the first task.
    #[must_use]
    pub fn new(directory: &Path) -> Self {
        Self { file: SharedFile::new(directory.join(FILE)) }
    }

    /// All tasks.
    pub(crate) async fn all(&self, cancel: &CancellationToken) -> Result<ListedTasks, ChangeError> {
        Ok(self.file.read(cancel).await?)
    }

    /// Gives a number to a task that may come.
    pub(crate) async fn reserve(&self, cancel: &CancellationToken) -> Result<String, ChangeError> {
        self.changed(cancel, ListedTasks::reserve).await
    }

    /// Adds a task whose number was given.
    pub(crate) async fn add(&self, task: ListedTask, cancel: &CancellationToken) -> Result<(), ChangeError> {
        self.changed(cancel, |tasks| {
            tasks.add(task);
            Ok(())
        })
        .await
    }

    /// Changes a task, all of it or nothing.
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

    /// Gives up the tasks of an owner that works no longer.
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
    /// Returns a task without an owner.
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
