//! The instruction files of a session, as configured by its host.

use super::places;
use crate::notes::Notes;
use becket_engine::config::Request;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The instruction files of a session. The default has none, for a bare start. Cheap to clone.
///
/// A profile names its files by its prefix: `CLAUDE.md`, `CLAUDE.local.md`, and in its own directory
/// `.claude/CLAUDE.md` and `.claude/rules/**/*.md`. A directory without the first kind may have an `AGENTS.md` instead.
#[derive(Debug, Clone, Default)]
pub struct Instructions {
    sources: Option<Arc<Sources>>,
}

/// The locations of the files.
#[derive(Debug, Clone)]
pub(super) struct Sources {
    /// The administrator's file.
    pub(super) managed: PathBuf,
    /// The user's directory.
    pub(super) user: Option<PathBuf>,
    /// Set if the files of the project are loaded.
    pub(super) project: bool,
    /// Set if the user's files for this project are loaded.
    pub(super) local: bool,
    /// The start directory of the session.
    pub(super) start: PathBuf,
    /// The start directory with links resolved, if it exists.
    pub(super) real_start: Option<PathBuf>,
    /// The topmost directory of the project.
    pub(super) top: PathBuf,
    /// The topmost directory with links resolved; a file that is not below it does not belong to the project.
    pub(super) real_top: Option<PathBuf>,
    pub(super) home: Option<PathBuf>,
    /// The file with a model's notes from earlier sessions.
    pub(super) notes: Option<PathBuf>,
    pub(super) names: Names,
}

/// The names of the files.
#[derive(Debug, Clone)]
pub(super) struct Names {
    /// `CLAUDE.md`.
    pub(super) file: String,
    /// `CLAUDE.local.md`.
    pub(super) local: String,
    /// `.claude`.
    pub(super) directory: String,
    /// The user's directory, which never belongs to a project.
    pub(super) user: Option<PathBuf>,
}

impl Instructions {
    /// Returns the files of the profile's directories (C4), without those that the request excludes. The project's are
    /// also left out in an untrusted folder (G3).
    #[must_use]
    pub fn of(request: &Request) -> Self {
        let profile = &request.profile;
        let managed = request.managed.as_ref().unwrap_or(&profile.managed);
        let trusted = request.trust.lets_hooks_run();
        let home = request.environment.home();
        let file = format!("{}.md", profile.prefix);
        let top = places::top(&request.start, home, places::is_root).to_owned();
        let user = request.user_directory();
        let sources = Sources {
            managed: managed.join(&file),
            user: user.clone().filter(|_| request.sources.user),
            project: request.sources.project && trusted,
            local: request.sources.local && trusted,
            real_start: request.start.canonicalize().ok(),
            start: request.start.clone(),
            real_top: top.canonicalize().ok(),
            top,
            home: home.map(Path::to_owned),
            notes: None,
            names: Names {
                file,
                local: format!("{}.local.md", profile.prefix),
                directory: profile.directory.to_string(),
                user,
            },
        };
        Self { sources: Some(Arc::new(sources)) }
    }

    /// Adds the notes of earlier sessions, which are given last; if there are no instructions at all, as in a bare
    /// start, the notes are left out, too.
    #[must_use]
    pub fn with_notes(mut self, notes: &Notes) -> Self {
        if let Some(sources) = &mut self.sources {
            Arc::make_mut(sources).notes = Some(notes.path().to_owned());
        }
        self
    }

    /// Returns whether no files are configured, regardless of the disk.
    pub(crate) fn is_none(&self) -> bool {
        self.sources.is_none()
    }

    pub(super) fn sources(&self) -> Option<&Sources> {
        self.sources.as_deref()
    }
}
