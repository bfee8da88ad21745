//! What a configuration is loaded from: everything that the library may know, handed in.

use super::flag_permissions::FlagPermissions;
use crate::environment::Environment;
use crate::profile::Profile;
use becket_rules::Renames;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What to load.
///
/// ```
/// use becket_engine::config::{Request, load, resolve};
/// use becket_engine::{Environment, Profile};
///
/// let request = Request::new(Profile::claude(), Environment::empty(), "/nowhere");
/// let config = resolve(&load(&request));
/// assert!(config.diagnostics.is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct Request {
    /// Names the places and variables (C4).
    pub profile: Profile,
    /// The home directory and the variables.
    pub environment: Environment,
    /// The directory in which the session starts, absolute.
    pub start: PathBuf,
    /// Settings from the command line.
    pub flag: Option<FlagSettings>,
    /// Permissions from the command line.
    pub permissions: FlagPermissions,
    /// The plugins that are installed.
    pub plugins: Vec<Plugin>,
    /// Replaces the profile's directory of managed settings.
    pub managed: Option<PathBuf>,
    /// Which of the files that a user or a repository owns are read.
    pub sources: Sources,
    /// What is known about trust in the folder (G3).
    pub trust: Trust,
    /// Whether any configuration error stops the start (C7).
    pub strict: bool,
    /// Other names of tools (M7).
    pub tools: Renames,
}

impl Request {
    /// All files of `profile` for a session that starts in `start`; not interactive, in a trusted folder.
    pub fn new(profile: Profile, environment: Environment, start: impl Into<PathBuf>) -> Self {
        Request {
            profile,
            environment,
            start: start.into(),
            flag: None,
            permissions: FlagPermissions::default(),
            plugins: Vec::new(),
            managed: None,
            sources: Sources::default(),
            trust: Trust::default(),
            strict: false,
            tools: Renames::tools(),
        }
    }
}

/// Settings that were passed on the command line.
#[derive(Clone, PartialEq, Eq)]
pub enum FlagSettings {
    /// JSON.
    Text(String),
    /// A file, which has to exist.
    File(PathBuf),
}

impl fmt::Debug for FlagSettings {
    /// Without the text: what stands in it may be secret (S3).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlagSettings::Text(text) => f.debug_tuple("Text").field(&text.len()).finish(),
            FlagSettings::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

/// A plugin on disk (C9). `Debug` shows no option's value: it may be a key (S3).
#[derive(Clone, PartialEq, Eq)]
pub struct Plugin {
    /// Its full id, `name@marketplace`; for one without a marketplace its name.
    pub id: Arc<str>,
    /// Its directory.
    pub directory: PathBuf,
    /// Where it keeps data (`…_PLUGIN_DATA`).
    pub data: Option<PathBuf>,
    /// Its options by key (`…_PLUGIN_OPTION_<KEY>`).
    pub options: Vec<(String, String)>,
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin")
            .field("id", &self.id)
            .field("directory", &self.directory)
            .field("data", &self.data)
            .field("options", &crate::names::names(&self.options))
            .finish()
    }
}

impl Plugin {
    /// A plugin without data directory and options.
    pub fn new(id: impl Into<Arc<str>>, directory: impl Into<PathBuf>) -> Self {
        Plugin { id: id.into(), directory: directory.into(), data: None, options: Vec::new() }
    }
}

/// Which files are read beside managed settings and those of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sources {
    /// The user's settings.
    pub user: bool,
    /// The project's shared settings.
    pub project: bool,
    /// The project's settings of this machine.
    pub local: bool,
}

impl Default for Sources {
    fn default() -> Self {
        Sources { user: true, project: true, local: true }
    }
}

/// What is known about trust (G3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trust {
    /// Whether somebody sits in front of the session.
    pub interactive: bool,
    /// Whether the workspace is trusted, itself or by a parent.
    pub trusted: bool,
    /// Whether this very folder is trusted.
    pub this_folder_trusted: bool,
}

impl Trust {
    /// Whether anything may run at all: a session without a person counts as trusted.
    pub fn lets_hooks_run(self) -> bool {
        !self.interactive || self.trusted
    }
}

impl Default for Trust {
    /// A session that is not interactive, in a trusted folder.
    fn default() -> Self {
        Trust { interactive: false, trusted: true, this_folder_trusted: true }
    }
}
