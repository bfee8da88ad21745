//! Becket as the one hook of an agent, registered as `becket install` does it, and removed again.

use becket_install::{AgentConfig, Installation, Places, Records, Scope, agent, install, uninstall};
use becket_proof::{Launch, Scratch};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The registration of one run.
pub(super) struct Registration {
    agent: &'static AgentConfig,
    scope: Scope,
    places: Places,
    records: Records,
    path: PathBuf,
    /// The file before the registration.
    before: Option<Vec<u8>>,
    /// The file that was registered.
    registered: Option<Vec<u8>>,
}

impl Registration {
    /// Registers Becket.
    ///
    /// # Errors
    /// Errors if the agent can't be registered with.
    pub(super) fn make(
        name: &str,
        scope: Scope,
        scratch: &Scratch<'_>,
        becket: &Path,
        launch: &Launch,
    ) -> Result<Self, String> {
        let agent = agent(name).ok_or_else(|| format!("`{name}` has no configuration"))?;
        let variables = launch.environment.iter();
        let places = Places {
            home: Some(scratch.home.to_owned()),
            project: Some(scratch.project.to_owned()),
            variables: variables.map(|(name, value)| ((*name).to_owned(), value.into())).collect(),
        };
        let path = agent.path(scope, &places).ok_or("the agent does not have this scope")?;
        let records =
            Records::open(&scratch.home.join(".claude/becket")).map_err(|error| error.to_string())?;
        let before = content(&path)?;
        let mut made = Registration { agent, scope, places, records, path, before, registered: None };
        made.write(becket)?;
        made.registered = content(&made.path)?;
        Ok(made)
    }

    fn write(&mut self, becket: &Path) -> Result<(), String> {
        let absolute = becket.to_string_lossy();
        let program = if self.scope == Scope::Project { "becket" } else { &absolute };
        let wanted = Installation { program, longest: None, more: &[], repair: false, exec_rewrite: false };
        let plan = install(self.agent, self.scope, &self.places, &self.records, &wanted);
        let done = plan.and_then(|plan| plan.apply(&mut self.records));
        done.map_err(|error| format!("install: {error}"))
    }

    /// Removes Becket again.
    ///
    /// # Errors
    /// Errors if something of it remains, or if something of the user's file is lost.
    pub(super) fn remove(mut self) -> Result<(), String> {
        let ran = content(&self.path)?;
        let plan = uninstall(self.agent, self.scope, &self.places, &self.records);
        let done = plan.and_then(|plan| plan.apply(&mut self.records));
        done.map_err(|error| format!("uninstall: {error}"))?;
        let after = content(&self.path)?;
        let path = self.path.display();
        if ran == self.registered && after != self.before {
            return Err(format!("uninstall: `{path}` is not as it was"));
        }
        let left = after.unwrap_or_default();
        match becket_install::is_own(&String::from_utf8_lossy(&left)) {
            true => Err(format!("uninstall: something of becket is left in `{path}`")),
            false => Ok(()),
        }
    }
}

/// Returns the content of a file, or of all files of a directory; `None` if it is missing.
fn content(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let failed = |error: std::io::Error| format!("`{}`: {error}", path.display());
    if !path.is_dir() {
        return match fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        };
    }
    let entries = fs::read_dir(path).map_err(failed)?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        all.extend(fs::read(&file).map_err(failed)?);
    }
    Ok(Some(all))
}

/// Trusts the project: its hooks run under a hook of the user only in a folder that the user trusts.
pub(super) fn trust(scratch: &Scratch<'_>) -> Result<(), String> {
    let project = scratch.project.to_string_lossy();
    let file = serde_json::json!({"projects": {project: {"hasTrustDialogAccepted": true}}});
    fs::write(scratch.home.join(".claude.json"), file.to_string()).map_err(|error| error.to_string())
}
