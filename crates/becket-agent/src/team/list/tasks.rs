//! All tasks of a list, as stored in its file. Pure.
//!
//! INVARIANT: a number is assigned once, and a task never waits for itself: `blocked_by` has no cycles.

use super::change::{Change, ChangeError};
use super::task::{ListedTask, Status};
use serde::{Deserialize, Serialize};

/// The maximum number of tasks in a list.
const MOST: usize = 2_000;

/// All tasks of a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ListedTasks {
    /// The last number that was given.
    #[serde(default)]
    last: u64,
    #[serde(default)]
    pub(crate) tasks: Vec<ListedTask>,
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChangedTask {
    /// The task after the change, or before it if it was deleted.
    pub(crate) task: ListedTask,
    /// The names of the fields that have changed.
    pub(crate) fields: Vec<&'static str>,
    /// The status before and after, if it has changed.
    pub(crate) status: Option<(&'static str, &'static str)>,
}

impl ListedTasks {
    /// Reserves a number. It is never reused.
    ///
    /// # Errors
    /// Errors if the list is full.
    pub(crate) fn reserve(&mut self) -> Result<String, ChangeError> {
        if self.tasks.len() >= MOST {
            return Err(ChangeError::Full { most: MOST });
        }
        let highest = self.tasks.iter().filter_map(|task| task.id.parse().ok()).max().unwrap_or(0);
        self.last = self.last.max(highest) + 1;
        Ok(self.last.to_string())
    }

    pub(crate) fn add(&mut self, task: ListedTask) {
        self.tasks.push(task);
    }

    pub(crate) fn find(&self, id: &str) -> Option<&ListedTask> {
        let id = id.trim().trim_start_matches('#');
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Returns the tasks that wait for this one.
    pub(crate) fn blocks(&self, id: &str) -> Vec<&str> {
        let waits = |task: &&ListedTask| task.blocked_by.iter().any(|blocker| blocker == id);
        self.tasks.iter().filter(waits).map(|task| task.id.as_str()).collect()
    }

    /// Returns the tasks that this one is still waiting for.
    pub(crate) fn waits_for<'a>(&self, task: &'a ListedTask) -> Vec<&'a str> {
        let open = |id: &&String| self.find(id).is_some_and(|other| other.status != Status::Completed);
        task.blocked_by.iter().filter(open).map(String::as_str).collect()
    }

    /// Returns the tasks that an owner works on.
    pub(crate) fn in_progress_of(&self, owner: &str) -> Vec<ListedTask> {
        let own =
            |task: &&ListedTask| task.status == Status::InProgress && task.owner.as_deref() == Some(owner);
        self.tasks.iter().filter(own).cloned().collect()
    }

    /// Releases the tasks of an owner that no longer works.
    pub(crate) fn release(&mut self, owner: &str) {
        for task in self.tasks.iter_mut().filter(|task| task.owner.as_deref() == Some(owner)) {
            if task.status == Status::InProgress {
                (task.status, task.owner) = (Status::Pending, None);
            }
        }
    }

    /// Changes a task, completely or not at all. `who` is the teammate that requests it; `None` is the lead, which may
    /// change the tasks of others.
    ///
    /// # Errors
    /// [`ChangeError`] with the reason.
    pub(crate) fn change(
        &mut self,
        id: &str,
        change: &Change,
        who: Option<&str>,
    ) -> Result<ChangedTask, ChangeError> {
        let before = self.find(id).cloned().ok_or_else(|| self.unknown(id))?;
        change.may_be_made(&before, who)?;
        if change.deletes() {
            return Ok(self.delete(before));
        }
        let mut after = before.clone();
        change.fill(&mut after, who);
        let mut fields = change.differs(&before, &after);
        self.link(&mut after, change, &mut fields)?;
        if after.status == Status::InProgress && before.status != Status::InProgress {
            let open = self.waits_for(&after);
            if !open.is_empty() {
                return Err(ChangeError::Waits { id: after.id.clone(), open: open.join(", #") });
            }
        }
        let status = (before.status != after.status).then(|| (before.status.as_str(), after.status.as_str()));
        if let Some(place) = self.tasks.iter_mut().find(|task| task.id == after.id) {
            place.clone_from(&after);
        }
        Ok(ChangedTask { task: after, fields, status })
    }

    /// Sets the dependencies; `task` is not in the list yet in its new form.
    fn link(
        &mut self,
        task: &mut ListedTask,
        change: &Change,
        fields: &mut Vec<&'static str>,
    ) -> Result<(), ChangeError> {
        for wanted in &change.add_blocked_by {
            let blocker = self.find(wanted).ok_or_else(|| self.unknown(wanted))?.id.clone();
            if self.leads_to(&blocker, &task.id) {
                return Err(ChangeError::Circle { id: task.id.clone(), other: blocker });
            }
            if !task.blocked_by.contains(&blocker) {
                task.blocked_by.push(blocker);
                fields.push("blockedBy");
            }
        }
        for wanted in &change.add_blocks {
            let waits = self.find(wanted).ok_or_else(|| self.unknown(wanted))?.id.clone();
            let circle = task.blocked_by.iter().any(|blocker| self.leads_to(blocker, &waits));
            if circle || self.leads_to(&task.id, &waits) {
                return Err(ChangeError::Circle { id: waits, other: task.id.clone() });
            }
            let others = self.tasks.iter_mut().filter(|other| other.id == waits);
            for other in others.filter(|other| !other.blocked_by.contains(&task.id)) {
                other.blocked_by.push(task.id.clone());
                fields.push("blocks");
            }
        }
        fields.dedup();
        Ok(())
    }

    /// Returns whether `from` waits for `to`, directly or through others; a task waits for itself.
    fn leads_to(&self, from: &str, to: &str) -> bool {
        let (mut left, mut seen) = (vec![from.to_owned()], std::collections::HashSet::new());
        while let Some(id) = left.pop() {
            if id == to {
                return true;
            }
            if let Some(task) = self.find(&id).filter(|_| seen.insert(id.clone())) {
                left.extend(task.blocked_by.iter().cloned());
            }
        }
        false
    }

    fn delete(&mut self, task: ListedTask) -> ChangedTask {
        self.tasks.retain(|other| other.id != task.id);
        for other in &mut self.tasks {
            other.blocked_by.retain(|blocker| *blocker != task.id);
        }
        let status = Some((task.status.as_str(), "deleted"));
        ChangedTask { task, fields: vec!["deleted"], status }
    }

    pub(crate) fn unknown(&self, id: &str) -> ChangeError {
        let known: Vec<&str> = self.tasks.iter().map(|task| task.id.as_str()).collect();
        ChangeError::Unknown { id: becket_tools::schema::brief(id), known: known.join("`, `") }
    }
}

#[cfg(test)]
mod tests;
