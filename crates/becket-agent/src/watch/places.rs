//! The files that a host watches while a session is open.

use crate::definitions::Homes;
use becket_engine::config::Request;
use becket_model::Source;
use becket_rules::Destination;
use std::path::{Path, PathBuf};

/// The files that are watched while a session is open: those that hooks request, and those of the configuration.
#[derive(Debug, Clone)]
pub struct FileWatch {
    pub(super) settings: Vec<Settings>,
    /// The directories of skills and commands.
    pub(super) skills: Vec<PathBuf>,
}

/// The settings of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    /// The name of the source in ConfigChange.
    pub(super) source: &'static str,
    pub(super) file: PathBuf,
    /// The directory of additional files.
    pub(super) more: Option<PathBuf>,
}

impl FileWatch {
    /// Returns the settings that a request reads, and the skills below these homes. Plugins are not watched: they
    /// change only by an installation.
    #[must_use]
    pub fn of(request: &Request, homes: &Homes) -> Self {
        let managed = request.managed.as_ref().unwrap_or(&request.profile.managed);
        let policy = Settings {
            source: "policy_settings",
            file: managed.join("managed-settings.json"),
            more: Some(managed.join("managed-settings.d")),
        };
        let mut settings = vec![policy];
        let sources = request.sources;
        for (wanted, source, destination) in [
            (sources.user, "user_settings", Destination::UserSettings),
            (sources.project, "project_settings", Destination::ProjectSettings),
            (sources.local, "local_settings", Destination::LocalSettings),
        ] {
            let file = request.settings_file(destination).filter(|_| wanted);
            // A session started in the home directory finds the user's own files as the project's.
            let file = file.filter(|file| settings.iter().all(|other| other.file != *file));
            settings.extend(file.map(|file| Settings { source, file, more: None }));
        }
        let of_files = |source: &Source| !matches!(source, Source::Plugin(_));
        let homes = homes.list.iter().filter(|home| of_files(&home.source));
        let skills = homes.flat_map(|home| home.skills.iter().chain(&home.commands).cloned()).collect();
        Self { settings, skills }
    }
}

impl Settings {
    /// Returns the files that may exist.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let more = self.more.iter().flat_map(|directory| json_in(directory));
        std::iter::once(self.file.clone()).chain(more).collect()
    }
}

/// Returns the JSON files of a directory, sorted by name.
fn json_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files
}
