//! The directory and dialect of a session, and the additional sources of its configuration.

use becket_audit::VerdictLog;
use becket_dialects::derived_id;
use becket_engine::config::{FlagPermissions, FlagSettings, NestedFolder, Plugin, Request, Sources};
use becket_engine::{Builder, Engine, Environment, HookConfinement, HookStandbys, Profile};
use becket_model::SessionId;
use serde_json::Map;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The inputs from which a configuration is loaded.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The directory in which the session starts, absolute and without links; relative paths of arguments start here too.
    pub start: PathBuf,
    /// The profile.
    pub profile: Profile,
    /// The variables and the home of the session.
    pub environment: Environment,
    /// The settings of the source `flag`.
    pub flag: Option<FlagSettings>,
    /// The settings files to read.
    pub sources: Sources,
    /// Permissions of the command line.
    pub permissions: FlagPermissions,
    /// More plugins, as absolute directories.
    pub plugins: Vec<PathBuf>,
    /// The managed settings, instead of the system's directory.
    pub managed: Option<PathBuf>,
    /// Set if an error in the configuration keeps the session from starting.
    pub strict: bool,
    /// Set if events wait for hooks that would otherwise continue in the background.
    pub waits_for_async: bool,
    /// True if the user trusts exactly this folder; otherwise its own files grant nothing (G3).
    pub folder_trusted: bool,
    /// The project that provides the settings, if it is not the start directory.
    pub project: Option<PathBuf>,
    /// Folders inside of the project that provide settings too, the outermost first (C4).
    pub nested: Vec<NestedFolder>,
    /// The means to take rights away from the processes of hooks (E5).
    pub confinement: Option<Arc<dyn HookConfinement>>,
    /// The means to start commands of hooks ahead of their events (H3).
    pub standbys: Option<Arc<dyn HookStandbys>>,
}

impl Launch {
    /// Creates the launch of a session in `start`, with all of its files.
    pub fn new(profile: Profile, environment: Environment, start: PathBuf) -> Self {
        Launch {
            start,
            profile,
            environment,
            flag: None,
            sources: Sources::default(),
            permissions: FlagPermissions::default(),
            plugins: Vec::new(),
            managed: None,
            strict: false,
            waits_for_async: false,
            folder_trusted: true,
            project: None,
            nested: Vec::new(),
            confinement: None,
            standbys: None,
        }
    }

    /// Returns the path of a session's file in a directory below the user's directory of settings. Its last part is
    /// derived, since an id may contain anything.
    pub(crate) fn path_of_session(&self, directory: &str, id: &SessionId) -> Option<PathBuf> {
        let name = derived_id(id.as_str(), &Map::new());
        Some(self.request().user_directory()?.join(directory).join(name))
    }

    /// Sets whether the folder is trusted.
    #[must_use]
    pub fn trusting(self, folder_trusted: bool) -> Self {
        Launch { folder_trusted, ..self }
    }

    /// Returns the settings file of the source `flag`.
    pub fn settings_file(&self) -> Option<&Path> {
        match &self.flag {
            Some(FlagSettings::File(file)) => Some(file),
            Some(FlagSettings::Text(_)) | None => None,
        }
    }

    /// Returns the variables and the home of the session.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the request that loads the whole effective configuration.
    pub fn request(&self) -> Request {
        let start = self.project.as_ref().unwrap_or(&self.start);
        let mut request = Request::new(self.profile.clone(), self.environment.clone(), start);
        request.nested.clone_from(&self.nested);
        request.flag.clone_from(&self.flag);
        request.sources = self.sources;
        request.permissions.clone_from(&self.permissions);
        request.plugins = self.plugins.iter().map(Plugin::in_directory).collect();
        request.managed.clone_from(&self.managed);
        request.strict = self.strict;
        request.waits_for_async = self.waits_for_async;
        request.trust.this_folder_trusted = self.folder_trusted;
        request
    }

    /// Returns a builder of an engine with this configuration. Starting a session in a folder implies trust in it, but
    /// not in the actions of a model there: see [`Launch::folder_trusted`].
    pub fn builder(&self, somebody_to_ask: bool) -> Builder {
        let mut request = self.request();
        request.trust = request.trust.interactive(somebody_to_ask).trusted(true);
        let log = VerdictLog::new(self.environment.home().map(Path::to_owned));
        let builder = Engine::builder().request(|whole| *whole = request).audit(Arc::new(log));
        let builder = match &self.confinement {
            Some(confinement) => builder.confine_hooks(Arc::clone(confinement)),
            None => builder,
        };
        match &self.standbys {
            Some(standbys) => builder.start_hooks_ahead(Arc::clone(standbys)),
            None => builder,
        }
    }
}

/// The possible contents of a plugin's directory, at least one of which must exist.
const PLUGIN_CONTENTS: [&str; 10] = [
    ".claude-plugin",
    ".lsp.json",
    ".mcp.json",
    "SKILL.md",
    "agents",
    "commands",
    "hooks",
    "output-styles",
    "settings.json",
    "skills",
];

/// Checks that a named directory is a plugin, since its user relies on its guards.
///
/// # Errors
/// Errors with the reason if it is not.
pub fn plugin_directory(directory: &Path) -> Result<(), String> {
    let entries = std::fs::read_dir(directory).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotADirectory {
            "it is not a directory".to_owned()
        } else if error.kind() == std::io::ErrorKind::NotFound {
            "there is no such directory".to_owned()
        } else {
            error.to_string()
        }
    })?;
    let is_content =
        |entry: &std::fs::DirEntry| PLUGIN_CONTENTS.iter().any(|name| entry.file_name() == *name);
    if entries.flatten().any(|entry| is_content(&entry)) {
        return Ok(());
    }
    Err("it holds neither `.claude-plugin/plugin.json` nor `hooks/hooks.json`".to_owned())
}

/// Returns the directory in which a session starts, with links resolved.
///
/// # Errors
/// Errors with the reason if it can't be entered.
pub fn start(directory: &Path) -> Result<PathBuf, String> {
    let resolved = if cfg!(windows) { std::path::absolute(directory) } else { directory.canonicalize() };
    let resolved = resolved.map_err(|error| error.to_string())?;
    if resolved.is_dir() { Ok(resolved) } else { Err("it is not a directory".to_owned()) }
}
