//! The user's trust in the folder in which a session starts (`protocol.md` G3).
//!
//! INVARIANT: nothing in the folder itself counts, wherever variables lead: a file that grants is outside of the
//! project. An unreadable file records no trust.

use super::request::Request;
use super::source::read::text as read_text;
use becket_base::is_inside;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The user's own file, next to the settings.
pub const USER_FILE: &str = ".claude.json";

/// The key of the user's own file under which it records folders.
pub const FOLDERS: &str = "projects";
/// The key that records the user's consent.
pub const ACCEPTED: &str = "hasTrustDialogAccepted";

/// Returns true if the user's own file records trust in this very folder, or in its repository: its files may grant.
pub fn is_recorded(request: &Request) -> bool {
    let root = project_root(request);
    first_recorded(request, [request.start.as_path(), &root]).is_some()
}

/// Returns the nearest folder whose recorded trust lets the hooks of this one run: this folder, or one around it with no
/// repository in between. To grant anything, its files need [`is_recorded`].
pub fn covering(request: &Request) -> Option<PathBuf> {
    let root = project_root(request);
    let has_repository = root.join(".git").exists();
    let mut is_left = false;
    let around = request.start.ancestors().take_while(|folder| {
        let is_reached = !is_left;
        is_left = has_repository && *folder == root;
        is_reached
    });
    first_recorded(request, around).map(Path::to_owned)
}

/// Returns the first of these folders in which the user's own file records trust. One that contains the file does not
/// count, as it would record trust in itself.
fn first_recorded<'f>(request: &Request, folders: impl IntoIterator<Item = &'f Path>) -> Option<&'f Path> {
    let file = user_file(request).filter(|file| is_outside(file, request))?;
    let text = read_text(&file).ok().flatten()?;
    let known = serde_json::from_str::<Value>(&text).ok()?;
    let is_accepted = |folder: &Path| {
        let folder = folder.to_str().and_then(|folder| known.get(FOLDERS)?.get(folder));
        folder.and_then(|folder| folder.get(ACCEPTED)) == Some(&Value::Bool(true))
    };
    folders.into_iter().find(|folder| is_accepted(folder) && !is_inside(&file, folder))
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
    root_of(&request.start)
}

fn root_of(folder: &Path) -> PathBuf {
    let around = folder.ancestors().find(|place| place.join(".git").exists());
    around.unwrap_or(folder).to_owned()
}

/// Returns true if a path is absolute and, with links resolved, outside of the project and of the folders inside of it:
/// only such a file can be the user's own record.
pub fn is_outside(path: &Path, request: &Request) -> bool {
    path.is_absolute() && !folders(request).iter().any(|folder| is_inside(path, folder))
}

/// Returns true if a variable names a directory of the user's settings that is a part of the project, so that the files
/// in it may have come with it, or if that directory is relative. The home directory is the user's own, and so is what
/// is in it, even in a project that contains the home directory.
pub(super) fn is_of_project(directory: &Path, request: &Request) -> bool {
    let home = request.environment.home();
    if home.is_some_and(|home| home.is_absolute() && directory == home.join(&*request.profile.directory)) {
        return false;
    }
    let is_of_home =
        |folder: &PathBuf| home.is_some_and(|home| is_inside(directory, home) && is_inside(home, folder));
    !directory.is_absolute()
        || folders(request).iter().any(|folder| is_inside(directory, folder) && !is_of_home(folder))
}

/// Returns the project, the folders inside of it, and the repositories around them.
fn folders(request: &Request) -> Vec<PathBuf> {
    let nested = request.nested.iter().map(|folder| folder.directory.as_path());
    let starts: Vec<&Path> = std::iter::once(request.start.as_path()).chain(nested).collect();
    let roots = starts.iter().map(|start| root_of(start));
    starts.iter().map(|start| (*start).to_owned()).chain(roots).collect()
}
