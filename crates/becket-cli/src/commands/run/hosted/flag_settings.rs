//! `apply_flag_settings`: settings that the host changes while the session is open. They apply to this session only, like
//! those of the command line and in addition to them.
//!
//! A later call replaces the keys that it names, and null clears one. Every rule and hook of another source stays.
//!
//! INVARIANT: settings are applied completely or not at all: an unsupported one may be a restriction.

use super::super::control::AppliedSettings;
use super::super::session::Session;
use super::super::typed;
use becket_agent::permission::SessionPermissions;
use becket_engine::{CancellationToken, ReloadError};
use becket_model::event::PermissionMode;
use becket_rules::{Change, Destination, PermissionUpdate};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// The lists of rules.
const LISTS: [&str; 3] = ["allow", "ask", "deny"];
/// The keys that the engine reads again while a session is open.
const LIVE: [&str; 4] = ["permissions", "hooks", "env", "sandbox"];

/// The changes that the settings request.
#[derive(Debug, Default)]
struct Changes {
    /// The keys for the engine; null clears one.
    keys: Map<String, Value>,
    /// The working directories; `None` leaves them.
    directories: Option<Vec<PathBuf>>,
    mode: Option<String>,
    /// The name of another model; the inner `None` is the session's own.
    model: Option<Option<String>>,
}

/// Applies settings: those that the engine reads, the mode, working directories and the model.
///
/// # Errors
/// Errors if one of them is not supported or not valid; then nothing is changed.
pub(super) async fn apply(
    session: &Session,
    settings: Option<&Value>,
    cancel: &CancellationToken,
) -> Result<Value, String> {
    let Some(Value::Object(settings)) = settings else {
        return Err("`settings` must be an object".to_owned());
    };
    let changes = read(settings)?;
    let mut applied = session.host_settings.lock().await;
    let mut keys = applied.keys.clone();
    for (key, value) in &changes.keys {
        match value.is_null() {
            true => drop(keys.remove(key)),
            false => drop(keys.insert(key.clone(), together(keys.get(key), key, value))),
        }
    }
    if opens_sandbox(applied.keys.get("sandbox"), keys.get("sandbox")) {
        let why = "the sandbox can't be disabled or left while the session is open";
        return Err(format!(
            "`settings.sandbox`: {why}; send its `enabled` and `excludedCommands` as they were"
        ));
    }
    let mode = changes.mode.as_deref().map(PermissionMode::from_name);
    if let Some(mode) = &mode {
        session.tools.permissions().check_mode(mode).map_err(|error| error.to_string())?;
    }
    let text = (!keys.is_empty()).then(|| Value::Object(keys.clone()).to_string());
    let (tools, engine) = (session.tools.clone(), session.agent.engine().clone());
    let of_check = text.clone();
    blocking(move || engine.host().check_host_settings(of_check.as_deref())).await?;
    // Nothing is in force while the hooks of a switch decide.
    if let Some(name) = &changes.model {
        let name = typed::requested_model(session, name.as_deref()).to_owned();
        typed::switched(session, &name, "sdk", cancel).await?;
    }
    let findings = blocking(move || tools.set_host_settings(text.as_deref())).await?;
    applied.keys = keys;
    let mut warnings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    if let Some(Err(error)) = mode.map(|mode| session.agent.set_mode(mode)) {
        // Other settings have just forbidden it.
        warnings.push(error.to_string());
    }
    if let Some(directories) = changes.directories {
        warnings.extend(set_directories(session, &mut applied, directories).await?);
    }
    Ok(json!({"warnings": warnings}))
}

/// Returns a value with the parts of the earlier one that it does not name: lists of rules stay, so that no deny is lost by
/// a call about others.
fn together(before: Option<&Value>, key: &str, value: &Value) -> Value {
    match (before, value) {
        (Some(Value::Object(before)), Value::Object(value)) if key == "permissions" => {
            let mut all = before.clone();
            all.extend(value.clone());
            Value::Object(all)
        }
        _ => value.clone(),
    }
}

/// Returns true if a change would let commands run outside of a sandbox that the host has enabled.
fn opens_sandbox(before: Option<&Value>, after: Option<&Value>) -> bool {
    const OPENINGS: [&str; 2] = ["excludedCommands", "allowUnsandboxedCommands"];
    let part = |sandbox: Option<&Value>, key| sandbox.and_then(|sandbox| sandbox.get(key)).cloned();
    let is_on = |sandbox| part(sandbox, "enabled") == Some(Value::Bool(true));
    is_on(before) && (!is_on(after) || OPENINGS.iter().any(|key| part(before, key) != part(after, key)))
}

/// Runs work that waits for other changes of the configuration, and for the disk.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ReloadError> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|lost| format!("the settings could not be changed: {lost}"))?
        .map_err(|error| error.to_string())
}

/// Adds working directories, and removes those that earlier settings have added and these do not name.
async fn set_directories(
    session: &Session,
    applied: &mut AppliedSettings,
    wanted: Vec<PathBuf>,
) -> Result<Vec<String>, String> {
    let (kept, gone): (Vec<PathBuf>, Vec<PathBuf>) =
        applied.directories.drain(..).partition(|directory| wanted.contains(directory));
    applied.directories = kept;
    let mut warnings = Vec::new();
    if !gone.is_empty() {
        let texts = gone.iter().map(|directory| directory.to_string_lossy().into_owned()).collect();
        let change = Change::RemoveDirectories(texts);
        let update = PermissionUpdate { destination: Destination::Session, change };
        let (permissions, facts): (SessionPermissions, _) =
            (session.tools.permissions().clone(), session.agent.facts().clone());
        // Waits for other changes of the configuration.
        let changed = tokio::task::spawn_blocking(move || permissions.apply(&facts, &[update])).await;
        let changed = changed.map_err(|lost| format!("directories could not be removed: {lost}"))?;
        warnings.extend(changed.applied.warnings);
    }
    for directory in &wanted {
        let added = session.agent.add_directory(directory, "slash_command").await;
        if !added.is_empty() {
            applied.directories.push(directory.clone());
        }
    }
    Ok(warnings)
}

fn read(settings: &Map<String, Value>) -> Result<Changes, String> {
    let mut changes = Changes::default();
    for (key, value) in settings {
        match (key.as_str(), value) {
            ("permissions", Value::Object(permissions)) => of_permissions(permissions, &mut changes)?,
            ("permissions", Value::Null) => {
                changes.keys.insert(key.clone(), Value::Null);
                changes.directories = Some(Vec::new());
            }
            ("sandbox", Value::Object(sandbox)) if sandbox.get("enabled") == Some(&Value::Bool(false)) => {
                let why = "the sandbox can't be disabled while the session is open";
                return Err(format!("`settings.sandbox.enabled`: {why}"));
            }
            (live, Value::Object(_) | Value::Null) if LIVE.contains(&live) => {
                changes.keys.insert(key.clone(), value.clone());
            }
            ("model", Value::Null) => changes.model = Some(None),
            ("model", Value::String(name)) => changes.model = Some(Some(name.clone())),
            (live, _) if LIVE.contains(&live) || live == "model" => {
                return Err(format!("`settings.{key}` has the wrong type"));
            }
            (other, _) => {
                let live = LIVE.join("`, `");
                return Err(format!(
                    "`settings.{other}` can't be changed while the session is open, only `{live}` and `model`"
                ));
            }
        }
    }
    Ok(changes)
}

/// Reads the permissions: each list replaces the one that the host has set before.
fn of_permissions(permissions: &Map<String, Value>, changes: &mut Changes) -> Result<(), String> {
    let mut lists = Map::new();
    for (key, value) in permissions {
        match (key.as_str(), value) {
            (list, Value::Array(rules)) if LISTS.contains(&list) => {
                for rule in rules {
                    PermissionUpdate::parse(&json!({"tool": rule, "behavior": list}))
                        .map_err(|why| format!("`settings.permissions.{list}`: {why}"))?;
                }
                lists.insert(key.clone(), value.clone());
            }
            ("defaultMode", Value::String(mode)) => changes.mode = Some(mode.clone()),
            ("additionalDirectories", Value::Array(directories)) => {
                let wanted = changes.directories.insert(Vec::new());
                for directory in directories {
                    let path = directory
                        .as_str()
                        .map(PathBuf::from)
                        .filter(|path| path.is_absolute() && path.is_dir());
                    wanted.push(path.ok_or_else(|| {
                        format!("`settings.permissions.additionalDirectories`: {directory} is not the absolute path of a directory")
                    })?);
                }
            }
            (other, _) => {
                return Err(format!(
                    "`settings.permissions.{other}` is not supported here, or has the wrong type"
                ));
            }
        }
    }
    changes.keys.insert("permissions".to_owned(), Value::Object(lists));
    Ok(())
}
