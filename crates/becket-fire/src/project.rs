//! The project around a directory (C4): its folders of settings, from the outermost to the innermost.
//!
//! A session reads the settings of its start directory and of no parent. A program that runs as a hook starts in any
//! directory that the model has changed to, and authors run their commands anywhere: both search upwards, to the root
//! of the repository, or outside of one to the home directory, which is excluded.
//!
//! INVARIANT: a file counts only if this user or root owns it, so that another user's file in a shared parent directory does
//! not count as the project's.

use crate::Launch;
use becket_base::is_same_path;
use becket_engine::config::{NestedFolder, Request, repository_root};
use std::path::{Component, Path, PathBuf};

#[cfg(unix)]
use std::io::ErrorKind;

/// The settings of the user in the profile's directory, which a project has as well.
const SHARED: &str = "settings.json";
const LOCAL: &str = "settings.local.json";

/// A project with nested folders of settings.
#[derive(Debug, Default)]
pub struct Project {
    /// The folders with settings, the outermost first.
    pub folders: Vec<PathBuf>,
    /// The files that are ignored because another user owns them.
    pub foreign: Vec<PathBuf>,
}

impl Project {
    /// Searches the folders from `start` upwards.
    pub fn around(start: &Path, request: &Request) -> Self {
        let mut project = Project::default();
        for folder in searched(start, request) {
            let mut counts = false;
            for name in [SHARED, LOCAL] {
                let file = folder.join(&*request.profile.directory).join(name);
                match look(&file, request) {
                    Look::Counts => counts = true,
                    Look::Foreign => project.foreign.push(file),
                    Look::None => {}
                }
            }
            if counts {
                project.folders.push(folder.to_owned());
            }
        }
        project.folders.reverse();
        project
    }

    /// Searches the folders around the directory of an event and around the process's own directory: a model that
    /// changes its directory must not leave the guards of the project.
    pub fn of_event(launch: &Launch, start: &Path) -> Self {
        let request = launch.request();
        if start == launch.start {
            return Project::around(start, &request);
        }
        let (of_event, of_process) =
            (Project::around(start, &request), Project::around(&launch.start, &request));
        let is_around = match (of_event.folders.first(), of_process.folders.first()) {
            (Some(of_event), Some(of_process)) => of_process.starts_with(of_event),
            (Some(_), None) | (None, _) => true,
        };
        // The outermost folder is the project.
        let (first, second) = if is_around { (of_event, of_process) } else { (of_process, of_event) };
        first.joined(second)
    }

    /// Adds the folders above a directory as an event names it. It may be a link that leads out of the project: a model
    /// that changes its directory must not leave the guards there.
    #[must_use]
    pub fn and_above_name(self, named: &Path, request: &Request) -> Self {
        // Above a `..` the name says nothing about the folders.
        if named.components().any(|part| part == Component::ParentDir) {
            return self;
        }
        let mut above = Project::around(named, request);
        let real = |folder: PathBuf| folder.canonicalize().unwrap_or(folder);
        above.folders = above.folders.into_iter().map(real).collect();
        self.joined(above)
    }

    /// Adds the folders and files of another project that this one lacks.
    fn joined(mut self, other: Project) -> Self {
        let lacking = |known: &[PathBuf], more: Vec<PathBuf>| -> Vec<PathBuf> {
            more.into_iter().filter(|path| !known.contains(path)).collect()
        };
        self.folders.extend(lacking(&self.folders, other.folders));
        self.foreign.extend(lacking(&self.foreign, other.foreign));
        self
    }
}

/// Returns the nearest parent of `start` with settings, if `start` has none that a session would read.
pub fn parent(start: &Path, request: &Request) -> Option<PathBuf> {
    let is_in_repository = repository_root(start).is_some();
    let has_settings = |folder: &Path| {
        // The local file of a repository's root is read from anywhere in it.
        let names: &[&str] = if is_in_repository { &[SHARED] } else { &[SHARED, LOCAL] };
        let files = names.iter().map(|name| folder.join(&*request.profile.directory).join(name));
        files.into_iter().any(|file| matches!(look(&file, request), Look::Counts))
    };
    let nearest = searched(start, request).find(|folder| has_settings(folder))?;
    (nearest != start).then(|| nearest.to_owned())
}

/// Reports that a session that starts here would not read the settings of `parent`.
pub fn not_read_by_sessions(parent: &Path, request: &Request) -> String {
    let directory = parent.join(&*request.profile.directory);
    format!("a session that starts in `{}` does not read `{}`", request.start.display(), directory.display())
}

/// Returns the session with all folders of settings of a project: the outermost is the project, and each of the others
/// grants something only if the user's own file records trust in it (G3). A project without any is `start`.
pub fn with_all_folders(launch: Launch, found: Project, start: &Path) -> Launch {
    let request = launch.request();
    let mut of_folder = request.clone();
    // No folder of the project records trust in another one.
    of_folder.nested = found.folders.iter().map(|folder| NestedFolder::new(folder.clone(), false)).collect();
    let mut folders = found.folders.into_iter();
    let outermost = folders.next().unwrap_or_else(|| start.to_owned());
    let nested = folders.map(|directory| {
        of_folder.start.clone_from(&directory);
        NestedFolder::new(directory, becket_engine::config::trust::is_recorded(&of_folder))
    });
    let nested = nested.collect();
    Launch { nested, project: Some(outermost), ..launch }
}

/// Returns the file with this name.
enum Look {
    Counts,
    Foreign,
    None,
}

fn look(file: &Path, request: &Request) -> Look {
    let Some(is_owned) = is_owned_by_user_or_root(file) else { return Look::None };
    let users = request.users_own_directory().map(|directory| directory.join(SHARED));
    if users.is_some_and(|users| is_same_path(&users, file)) {
        return Look::None;
    }
    if is_owned { Look::Counts } else { Look::Foreign }
}

/// Returns the directories to search, from `start` upwards.
fn searched<'p>(start: &'p Path, request: &Request) -> impl Iterator<Item = &'p Path> {
    let root = repository_root(start);
    let home = request.environment.home().map(Path::to_owned).filter(|_| root.is_none());
    let mut is_over = false;
    start.ancestors().take_while(move |folder| {
        // The home directory is searched if it is the start itself.
        let is_home = home.as_deref() == Some(folder) && *folder != start;
        let goes_on = !is_over && !is_home;
        is_over = root.as_deref() == Some(folder);
        goes_on
    })
}

/// Returns true if a file and its link target belong to this user or to root; `None` if there is no such file. A file
/// that can't be examined counts as owned, so that reading it reports it by name.
#[cfg(unix)]
fn is_owned_by_user_or_root(file: &Path) -> Option<bool> {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    let is_ours = |found: std::io::Result<std::fs::Metadata>| match found {
        Ok(found) => Some(found.uid() == user || found.uid() == 0),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
        Err(_) => Some(true),
    };
    // A link that leads nowhere is reported where the file is read.
    Some(is_ours(file.symlink_metadata())? && is_ours(file.metadata()).unwrap_or(true))
}

#[cfg(not(unix))]
fn is_owned_by_user_or_root(file: &Path) -> Option<bool> {
    file.exists().then_some(true)
}
