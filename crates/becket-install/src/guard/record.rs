//! The record of the guards of a project, `.claude/guards.json`, which belongs in version control like the settings.

use crate::document::SettingsItem;
use crate::file_change::FileChange;
use crate::guard::answers::Answers;
use crate::guard::change::planned;
use crate::guard::error::GuardError;
use crate::record::digest;
use becket_base::config_file::ConfigFile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The path of the record in a project.
const PATH: &str = ".claude/guards.json";
const VERSION: u32 = 1;

/// The guards that were added to a project.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardRecords {
    version: u32,
    /// The guards by their names.
    pub guards: BTreeMap<String, GuardRecord>,
    /// The change of the settings.
    pub settings: SettingsRecord,
    /// The directories that were created, from the root of the project.
    pub directories: Vec<PathBuf>,
}

/// A guard that was added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardRecord {
    /// Its origin: `becket`, a directory, or `github:OWNER/REPO@COMMIT`.
    pub source: String,
    /// The digest of its files as they were delivered.
    pub hash: String,
    /// The answers to its questions.
    pub answers: Answers,
    /// The digest of each file that was written, by its path from the root of the project.
    pub files: BTreeMap<String, String>,
    /// The elements of the settings that did not exist before.
    pub items: Vec<SettingsItem>,
}

/// The change of the settings, which is undone when guards are removed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsRecord {
    /// Set if the file existed before.
    pub existed: bool,
    /// The digest of the text that was written.
    pub digest: String,
    /// The parts of that text that were inserted.
    pub inserted: Vec<Range<usize>>,
    /// The objects and lists that were created, as paths of keys.
    pub created: Vec<Vec<String>>,
}

impl SettingsRecord {
    /// Returns the text before the first guard, if `now` is the text that was written.
    pub(super) fn original(&self, now: &str) -> Option<String> {
        if digest(now.as_bytes()) != self.digest {
            return None;
        }
        let mut original = String::with_capacity(now.len());
        let mut from = 0;
        for range in &self.inserted {
            original.push_str(now.get(from..range.start)?);
            from = range.end;
        }
        original.push_str(now.get(from..)?);
        Some(original)
    }
}

impl GuardRecords {
    /// Reads the record of a project; empty if there is none.
    ///
    /// # Errors
    /// Errors if the record can't be read, or was not written by Becket.
    pub fn read(root: &Path) -> Result<Self, GuardError> {
        Ok(read(root)?.0)
    }

    /// Returns the record of a guard.
    ///
    /// # Errors
    /// Errors if the guard was not added.
    pub(super) fn of(&self, name: &str) -> Result<&GuardRecord, GuardError> {
        self.guards.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.guards.keys().map(String::as_str).collect();
            let near = becket_base::suggest(name, &names).map(str::to_owned);
            GuardError::NotAdded { name: name.to_owned(), near }
        })
    }

    /// Returns the items of all guards.
    pub(super) fn items(&self) -> Vec<SettingsItem> {
        self.guards.values().flat_map(|guard| guard.items.iter().cloned()).collect()
    }

    /// Plans to write the record; one without guards is removed.
    pub(super) fn change(&self, root: &Path) -> Result<FileChange, GuardError> {
        let (_, file) = read(root)?;
        let after = (!self.guards.is_empty()).then(|| {
            let records = GuardRecords { version: VERSION, ..self.clone() };
            // Texts, lists and maps with text keys can always be written.
            format!("{}\n", serde_json::to_string_pretty(&records).unwrap_or_default()).into_bytes()
        });
        planned(file, after, false)
    }
}

fn read(root: &Path) -> Result<(GuardRecords, ConfigFile), GuardError> {
    let path = root.join(PATH);
    let file = ConfigFile::read(&path).map_err(|why| GuardError::File { path: path.clone(), why })?;
    let Some(bytes) = file.bytes() else { return Ok((GuardRecords::default(), file)) };
    let broken = |why: String| GuardError::Record { path: path.clone(), why };
    let records: GuardRecords = serde_json::from_slice(bytes).map_err(|error| broken(error.to_string()))?;
    if records.version != VERSION {
        return Err(broken(format!("it is of version {}, and this becket knows {VERSION}", records.version)));
    }
    for path in records.guards.values().flat_map(|guard| guard.files.keys()) {
        let is_inside = path.starts_with(".claude/") && Path::new(path).components().all(is_normal);
        if !is_inside {
            return Err(broken(format!("`{path}` is not below `.claude`")));
        }
    }
    if let Some(path) = records.directories.iter().find(|path| !path.components().all(is_normal)) {
        return Err(broken(format!("`{}` is not in the project", path.display())));
    }
    Ok((records, file))
}

fn is_normal(component: std::path::Component<'_>) -> bool {
    matches!(component, std::path::Component::Normal(_))
}
