//! The user's trust in the folder in which a session starts (`protocol.md` G3).
//!
//! INVARIANT: nothing in the folder itself counts. An unreadable file records no trust.

use super::request::Request;
use super::source::read::text as read_text;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The user's own file, next to the settings.
pub const USER_FILE: &str = ".claude.json";

/// The key of the user's own file under which it records folders.
pub const FOLDERS: &str = "projects";
/// The key of a yes.
pub const ACCEPTED: &str = "hasTrustDialogAccepted";

/// Returns true if the user's own file records trust in this very folder, or in its repository.
pub fn is_recorded(request: &Request) -> bool {
    let Some(file) = user_file(request) else { return false };
    let Ok(Some(text)) = read_text(&file) else { return false };
    let Ok(known) = serde_json::from_str::<Value>(&text) else { return false };
    let root = project_root(request);
    [request.start.as_path(), &root].iter().any(|folder| {
        let folder = folder.to_str().and_then(|folder| known.get(FOLDERS)?.get(folder));
        folder.and_then(|folder| folder.get(ACCEPTED)) == Some(&Value::Bool(true))
    })
}

/// Returns the user's own file: in the directory that a variable names, otherwise in the home.
pub fn user_file(request: &Request) -> Option<PathBuf> {
    let variable = request.profile.directory_variable.as_ref()?;
    let replaced = request.environment.var(&**variable).filter(|value| !value.is_empty());
    match replaced {
        Some(directory) => Some(Path::new(directory).join(USER_FILE)),
        None => Some(request.environment.home()?.join(USER_FILE)),
    }
}

/// Returns the repository around the start, or the start itself.
pub fn project_root(request: &Request) -> PathBuf {
    let around = request.start.ancestors().find(|place| place.join(".git").exists());
    around.unwrap_or(&request.start).to_owned()
}
