//! The settings with which agents switch off hooks: an entry that is registered runs only if none of them is set.

use crate::agent::{AgentConfig, Location, OffSwitch, Places, Scope, SwitchKind};
use crate::command::{ENTRY_NAME, is_own};
use crate::document::value_of;
use becket_base::config_file::ConfigFile;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The end of a cause that is certain.
const NOTHING_RUNS: &str = ", so the agent runs no hook of becket";

/// A setting that keeps an agent from running the entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksOff {
    /// The file.
    pub path: PathBuf,
    /// The scope of the setting.
    pub scope: Scope,
    /// The cause, as a sentence about the file or its setting.
    pub why: String,
}

/// Returns the settings that keep an agent from running its entries in these scopes. A file that can't be read is among
/// them, as its settings are unknown.
pub fn hooks_off(agent: &AgentConfig, places: &Places, scopes: &[Scope]) -> Vec<HooksOff> {
    if scopes.is_empty() {
        return Vec::new();
    }
    let off = agent.off.iter().filter_map(|switch| {
        let path = switch.path(agent, places)?;
        let why = match switch.kind {
            SwitchKind::Instead => {
                let entries = agent.path(switch.scope, places)?;
                let is_read = scopes.contains(&switch.scope) && path.symlink_metadata().is_ok();
                is_read
                    .then(|| format!("the agent reads it instead of `{}`{NOTHING_RUNS}", entries.display()))
            }
            SwitchKind::Value { keys, on } => cause(&path, |value| is_not(value, keys, on)),
            SwitchKind::Names(keys) => cause(&path, |value| names_entry(value, keys)),
        };
        why.map(|why| HooksOff { path, scope: switch.scope, why })
    });
    let mut found: Vec<HooksOff> = off.collect();
    // One file may be that of both scopes.
    found.dedup_by(|one, other| one.path == other.path && one.why == other.why);
    found
}

impl OffSwitch {
    fn path(&self, agent: &AgentConfig, places: &Places) -> Option<PathBuf> {
        match self.scope {
            Scope::User => Location { file: self.file, ..agent.user? }.path(places),
            Scope::Project => Some(places.project.as_ref()?.join(self.file)),
        }
    }
}

/// Returns the cause that `find` finds in a file, or that the file can't be read.
fn cause(path: &Path, find: impl FnOnce(&Value) -> Option<String>) -> Option<String> {
    let unknown = |why: &dyn std::fmt::Display| {
        Some(format!("it can't be read ({why}), so it may switch off all hooks"))
    };
    let file = match ConfigFile::read(path) {
        Ok(file) => file,
        Err(error) => return unknown(&error),
    };
    let text = match file.text() {
        Ok(text) => text,
        Err(error) => return unknown(&error),
    };
    match value_of(path, text) {
        Ok(value) => find(&value),
        Err(error) => unknown(&error),
    }
}

/// Returns the setting with these keys, unless it is missing or null.
fn setting<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(value, |value, key| value.get(key)).filter(|setting| !setting.is_null())
}

fn is_not(value: &Value, keys: &[&str], on: bool) -> Option<String> {
    let setting = setting(value, keys).filter(|setting| **setting != Value::Bool(on))?;
    Some(format!(
        "`{}` is `{setting}`, which switches off the hooks of becket unless another file overrides it",
        keys.join(".")
    ))
}

fn names_entry(value: &Value, keys: &[&str]) -> Option<String> {
    let setting = setting(value, keys)?;
    let name = keys.join(".");
    let Some(list) = setting.as_array() else {
        return Some(format!("`{name}` is not a list, so it may switch off all hooks"));
    };
    let is_ours = |listed: &str| listed == ENTRY_NAME || is_own(listed);
    let is_listed = list.iter().any(|listed| listed.as_str().is_some_and(is_ours));
    is_listed.then(|| format!("`{name}` lists becket{NOTHING_RUNS}"))
}
