//! `apply_flag_settings`: settings that the host changes while the session is open. They apply to this session only.
//!
//! INVARIANT: settings are applied completely or not at all: an unsupported one may be a restriction.

use super::super::session::Session;
use super::super::typed;
use becket_engine::CancellationToken;
use becket_model::event::PermissionMode;
use becket_rules::PermissionUpdate;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// The lists of rules.
const LISTS: [&str; 3] = ["allow", "ask", "deny"];

/// The changes that the settings request.
#[derive(Debug, Default)]
struct Changes {
    updates: Vec<PermissionUpdate>,
    directories: Vec<PathBuf>,
    mode: Option<String>,
    /// The name of another model; the inner `None` is the session's own.
    model: Option<Option<String>>,
}

/// Applies settings: permission rules, mode, working directories and the model.
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
    let mode_before = match &changes.mode {
        Some(mode) => {
            let mode = PermissionMode::from_name(mode);
            Some(session.agent.set_mode(mode).map_err(|error| error.to_string())?)
        }
        None => None,
    };
    if let Some(name) = &changes.model {
        let name = typed::requested_model(session, name.as_deref()).to_owned();
        if let Err(why) = typed::switched(session, &name, "sdk", cancel).await {
            if let Some(mode) = mode_before {
                // It was a valid mode of the session a moment ago.
                let _ = session.agent.set_mode(mode);
            }
            return Err(why);
        }
    }
    let (permissions, facts) = (session.tools.permissions().clone(), session.agent.facts().clone());
    // Waits for the disk, and for other processes that write the same settings.
    let changed = tokio::task::spawn_blocking(move || permissions.apply(&facts, &changes.updates)).await;
    let applied = changed.map_err(|lost| format!("permissions could not be changed: {lost}"))?.applied;
    for directory in &changes.directories {
        session.agent.add_directory(directory, "slash_command").await;
    }
    Ok(json!({"warnings": applied.warnings}))
}

fn read(settings: &Map<String, Value>) -> Result<Changes, String> {
    let mut changes = Changes::default();
    for (key, value) in settings {
        match (key.as_str(), value) {
            ("permissions", Value::Object(permissions)) => of_permissions(permissions, &mut changes)?,
            ("model", Value::Null) => changes.model = Some(None),
            ("model", Value::String(name)) => changes.model = Some(Some(name.clone())),
            ("permissions" | "model", _) => return Err(format!("`settings.{key}` has the wrong type")),
            (other, _) => {
                return Err(format!(
                    "`settings.{other}` can't be changed while the session is open, only `permissions` and `model`"
                ));
            }
        }
    }
    Ok(changes)
}

fn of_permissions(permissions: &Map<String, Value>, changes: &mut Changes) -> Result<(), String> {
    for (key, value) in permissions {
        match (key.as_str(), value) {
            (list, Value::Array(rules)) if LISTS.contains(&list) => {
                for rule in rules {
                    let update = json!({"tool": rule, "behavior": list});
                    let update = PermissionUpdate::parse(&update);
                    changes
                        .updates
                        .push(update.map_err(|why| format!("`settings.permissions.{list}`: {why}"))?);
                }
            }
            ("defaultMode", Value::String(mode)) => changes.mode = Some(mode.clone()),
            ("additionalDirectories", Value::Array(directories)) => {
                for directory in directories {
                    let path = directory
                        .as_str()
                        .map(PathBuf::from)
                        .filter(|path| path.is_absolute() && path.is_dir());
                    changes.directories.push(path.ok_or_else(|| {
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
    Ok(())
}
