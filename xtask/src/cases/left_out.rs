//! Cases that are not in the common form, with reasons: `spec/cases/left-out.json`.

use serde::Deserialize;
use std::collections::BTreeSet;

/// The file of the reasons.
pub(super) const FILE: &str = "spec/cases/left-out.json";

/// One reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// A case file, from the root of the workspace, or a directory of such files, with a slash at its end.
    file: String,
    /// Its cases by name; without them the whole file.
    cases: Option<Vec<String>>,
    /// The reason.
    why: String,
}

impl Entry {
    fn is_about(&self, file: &str) -> bool {
        self.file == file || (self.file.ends_with('/') && file.starts_with(&self.file))
    }
}

/// The cases that are left out.
pub(super) struct LeftOut {
    entries: Vec<Entry>,
    used: BTreeSet<(String, String)>,
}

impl LeftOut {
    /// Reads the reasons.
    ///
    /// # Errors
    /// Errors if they can't be read, or if one is missing.
    pub(super) fn read() -> Result<Self, String> {
        let text = std::fs::read_to_string(crate::root().join(FILE));
        let text = text.map_err(|error| format!("`{FILE}`: {error}"))?;
        let entries: Vec<Entry> =
            serde_json::from_str(&text).map_err(|error| format!("`{FILE}`: {error}"))?;
        match entries.iter().find(|entry| entry.why.trim().is_empty()) {
            Some(entry) => Err(format!("`{FILE}`: `{}` is left out without a reason", entry.file)),
            None => Ok(LeftOut { entries, used: BTreeSet::new() }),
        }
    }

    /// Returns whether a whole file is left out.
    pub(super) fn has_file(&mut self, file: &str) -> bool {
        self.has(file, |entry| entry.cases.is_none(), "")
    }

    /// Returns whether one case of a file is left out.
    pub(super) fn has_case(&mut self, file: &str, name: &str) -> bool {
        let names = |entry: &Entry| entry.cases.iter().flatten().any(|one| one == name);
        self.has(file, names, name)
    }

    fn has(&mut self, file: &str, is_meant: impl Fn(&Entry) -> bool, name: &str) -> bool {
        let Some(entry) = self.entries.iter().find(|entry| entry.is_about(file) && is_meant(entry)) else {
            return false;
        };
        self.used.insert((entry.file.clone(), name.to_owned()));
        true
    }

    /// Checks that every named case exists.
    ///
    /// # Errors
    /// Errors if one does not.
    pub(super) fn is_all_used(&self) -> Result<(), String> {
        for entry in &self.entries {
            let whole = [String::new()];
            let names = entry.cases.as_deref().unwrap_or(&whole);
            let gone = names.iter().find(|name| !self.used.contains(&(entry.file.clone(), (*name).clone())));
            if let Some(name) = gone {
                return Err(format!("`{FILE}` leaves out `{name}` of `{}`, which is not there", entry.file));
            }
        }
        Ok(())
    }
}
