//! The settings of a project, with and without guards.

use crate::document::{ConfigText, DocumentError, EditedText, SETTINGS, SettingsItem};
use crate::file_change::FileChange;
use crate::guard::change::planned;
use crate::guard::error::GuardError;
use crate::guard::record::{GuardRecord, GuardRecords, SettingsRecord};
use crate::record::digest;
use becket_base::config_file::{ConfigFile, FileError};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The path of the settings in a project.
const PATH: &str = ".claude/settings.json";

/// The settings of a project as they were read.
pub(super) struct ProjectSettings {
    path: PathBuf,
    file: ConfigFile,
    text: String,
}

impl ProjectSettings {
    pub(super) fn read(root: &Path) -> Result<Self, GuardError> {
        let path = root.join(PATH);
        let failed = |why: FileError| GuardError::File { path: path.clone(), why };
        let file = ConfigFile::read(&path).map_err(failed)?;
        let text = file.text().map_err(failed)?.to_owned();
        Ok(ProjectSettings { path, file, text })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text without the items of any guard: the one before the first guard, if it was not edited since.
    pub(super) fn bare(&self, records: &GuardRecords) -> Result<String, GuardError> {
        if let Some(original) = self.original(records) {
            return Ok(original);
        }
        let taken =
            ConfigText::new(SETTINGS, &self.text).take_items(&records.items(), &records.settings.created);
        Ok(taken.map_err(|why| self.refused(why))?.text)
    }

    /// Returns true if a text of these settings has an item.
    pub(super) fn contains(&self, text: &str, item: &SettingsItem) -> Result<bool, GuardError> {
        ConfigText::new(SETTINGS, text).contains(item).map_err(|why| self.refused(why))
    }

    /// Checks that no hook of a guard was edited: if it stayed, its script would be missing.
    pub(super) fn check_hooks(&self, guard: &str, items: &[SettingsItem]) -> Result<(), GuardError> {
        for item in items {
            if self.is_edited(guard, item, items)? {
                return Err(GuardError::EditedHook { path: self.path.clone(), guard: guard.to_owned() });
            }
        }
        Ok(())
    }

    /// Returns true if the list of an item has an edited hook of the guard: one with a script of it that is none of its
    /// `items`.
    fn is_edited(
        &self,
        guard: &str,
        item: &SettingsItem,
        items: &[SettingsItem],
    ) -> Result<bool, GuardError> {
        if item.section != "hooks" {
            return Ok(false);
        }
        let folder = format!(".claude/hooks/{guard}/");
        let groups = ConfigText::new(SETTINGS, &self.text).values(&item.section, &item.list);
        let groups: Vec<Value> = groups.map_err(|why| self.refused(why))?;
        let is_edited = |group: &Value| {
            group.to_string().contains(&folder) && !items.iter().any(|item| item.value == *group)
        };
        Ok(groups.iter().any(is_edited))
    }

    /// Returns the recorded items of a guard that the text lacks. A hook that was edited is not among them.
    pub(super) fn missing(&self, guard: &str, record: &GuardRecord) -> Result<Vec<SettingsItem>, GuardError> {
        let mut missing = Vec::new();
        for item in &record.items {
            if !self.contains(&self.text, item)? && !self.is_edited(guard, item, &record.items)? {
                missing.push(item.clone());
            }
        }
        Ok(missing)
    }

    /// Plans the text with the items of `after` instead of those of `before`, and its record. The items of the guards
    /// `added` that the text has lost are restored.
    pub(super) fn rewritten(
        self,
        before: &GuardRecords,
        after: &GuardRecords,
        added: &[&str],
    ) -> Result<(FileChange, SettingsRecord), GuardError> {
        let existed =
            if before.guards.is_empty() { self.file.bytes().is_some() } else { before.settings.existed };
        let (text, record) = match self.original(before) {
            Some(original) => self.onto_original(&original, after)?,
            None => self.onto_edited(before, after, added)?,
        };
        let is_left = existed || !after.guards.is_empty() || !ConfigText::new(SETTINGS, &text).is_bare();
        let change = planned(self.file, is_left.then(|| text.into_bytes()), false)?;
        Ok((change, SettingsRecord { existed, ..record }))
    }

    fn original(&self, records: &GuardRecords) -> Option<String> {
        match records.guards.is_empty() {
            true => Some(self.text.clone()),
            false => records.settings.original(&self.text),
        }
    }

    fn onto_original(
        &self,
        original: &str,
        after: &GuardRecords,
    ) -> Result<(String, SettingsRecord), GuardError> {
        let edited = ConfigText::new(SETTINGS, original).append_items(&after.items());
        let EditedText { text, inserted, created } = edited.map_err(|why| self.refused(why))?;
        let digest = digest(text.as_bytes());
        Ok((text, SettingsRecord { existed: false, digest, inserted, created }))
    }

    /// Changes a text that was edited: only the differences, and the lost items of the guards `added`, are removed and
    /// appended; the rest stays where it is.
    fn onto_edited(
        &self,
        before: &GuardRecords,
        after: &GuardRecords,
        added: &[&str],
    ) -> Result<(String, SettingsRecord), GuardError> {
        let (old, new) = (before.items(), after.items());
        let differing = |some: &[SettingsItem], others: &[SettingsItem]| -> Vec<SettingsItem> {
            some.iter().filter(|item| !others.contains(item)).cloned().collect()
        };
        let mut created = before.settings.created.clone();
        let refused = |why| self.refused(why);
        let taken = ConfigText::new(SETTINGS, &self.text).take_items(&differing(&old, &new), &created);
        let text = taken.map_err(refused)?.text;
        let mut appended = differing(&new, &old);
        for (name, record) in after.guards.iter().filter(|(name, _)| added.contains(&name.as_str())) {
            appended.extend(self.missing(name, record)?);
        }
        let edited = ConfigText::new(SETTINGS, &text).append_items(&appended).map_err(refused)?;
        if edited.text == self.text {
            return Ok((edited.text, before.settings.clone()));
        }
        created.extend(edited.created);
        created.sort();
        created.dedup();
        let record = SettingsRecord { existed: false, digest: String::new(), inserted: Vec::new(), created };
        Ok((edited.text, record))
    }

    fn refused(&self, why: DocumentError) -> GuardError {
        GuardError::Settings { path: self.path.clone(), why }
    }
}
