//! Where a session starts, in which dialect, and what is loaded beside its files.

use becket_engine::config::{FlagPermissions, FlagSettings, Plugin, Request, Sources, Trust};
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
    /// Whether the user trusts this very folder: else what it brings along grants nothing (G3).
    pub folder_trusted: bool,
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
            folder_trusted: true,
        }
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
        let mut request = Request::new(self.profile.clone(), self.environment.clone(), &self.start);
        request.flag.clone_from(&self.flag);
        request.sources = self.sources;
        request.permissions.clone_from(&self.permissions);
        request.plugins = self.plugins.iter().map(|directory| plugin(directory)).collect();
        request.managed.clone_from(&self.managed);
        request.strict = self.strict;
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

/// A plugin that is named by its directory is known by that directory's name.
pub fn plugin(directory: &Path) -> Plugin {
    let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy();
    Plugin::new(name.as_ref(), directory)
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
