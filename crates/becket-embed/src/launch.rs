//! Where a session starts, in which dialect, and what is loaded beside its files.

use becket_engine::config::{FlagPermissions, FlagSettings, NestedFolder, Plugin, Request, Sources, Trust};
use becket_engine::{Builder, Engine, Environment, Profile};
use std::path::{Path, PathBuf};

/// What a configuration is loaded from.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The directory in which the session starts, absolute and without links; relative paths of arguments start here too.
    pub start: PathBuf,
    /// The dialect.
    pub profile: Profile,
    /// The variables and the home of the session.
    pub environment: Environment,
    /// The settings of the source `flag`.
    pub flag: Option<FlagSettings>,
    /// Which settings files are read.
    pub sources: Sources,
    /// Permissions of the command line.
    pub permissions: FlagPermissions,
    /// More plugins, by their directories, absolute.
    pub plugins: Vec<PathBuf>,
    /// Where managed settings lie, in the place of the system's directory.
    pub managed: Option<PathBuf>,
    /// Whether an error in the configuration keeps the session from starting.
    pub strict: bool,
    /// Whether events wait for hooks that would go to the background.
    pub waits_for_async: bool,
    /// Whether the user trusts this very folder: else what it brings along grants nothing (G3).
    pub folder_trusted: bool,
    /// The project whose settings count, where it is not the start.
    pub project: Option<PathBuf>,
    /// Folders inside of the project whose settings count as well, the outermost first (C4).
    pub nested: Vec<NestedFolder>,
}

impl Launch {
    /// A session in `start`, over all of its files.
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
        }
    }

    /// The same in a folder that is trusted, or is not.
    #[must_use]
    pub fn trusting(self, folder_trusted: bool) -> Self {
        Launch { folder_trusted, ..self }
    }

    /// The settings file of the source `flag`.
    pub fn settings_file(&self) -> Option<&Path> {
        match &self.flag {
            Some(FlagSettings::File(file)) => Some(file),
            Some(FlagSettings::Text(_)) | None => None,
        }
    }

    /// The variables and the home of the session.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// What the whole effective configuration is loaded from.
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

    /// An engine over the configuration. Whoever starts a session in a folder trusts it, but not what a model does there:
    /// see [`Launch::folder_trusted`].
    pub fn builder(&self, somebody_to_ask: bool) -> Builder {
        let mut request = self.request();
        request.trust = Trust { interactive: somebody_to_ask, trusted: true, ..request.trust };
        Engine::builder().request(|whole| *whole = request)
    }
}

/// What a plugin's directory may hold, one of which has to be there.
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

/// Checks that a directory that somebody names is a plugin's: whoever names one relies on its guards.
///
/// # Errors
/// Why it is none.
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

/// The directory in which a session starts, without links.
///
/// # Errors
/// Why it can't be entered.
pub fn start(directory: &Path) -> Result<PathBuf, String> {
    let resolved = if cfg!(windows) { std::path::absolute(directory) } else { directory.canonicalize() };
    let resolved = resolved.map_err(|error| error.to_string())?;
    if resolved.is_dir() { Ok(resolved) } else { Err("it is no directory".to_owned()) }
}
