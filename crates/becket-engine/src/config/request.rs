//! The inputs for loading a configuration: everything that the library may use, passed in.

use super::flag_permissions::FlagPermissions;
use crate::host::environment::Environment;
use crate::host::profile::Profile;
use becket_model::PluginSource;
use becket_rules::Renames;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A request to load a configuration.
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
#[non_exhaustive]
pub struct Request {
    /// The profile, which names the places and variables (C4).
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
    /// Set if enabled plugins that are not installed are not reported, as for a file that is checked alone (C9).
    pub tolerates_missing_plugins: bool,
    /// Replaces the profile's directory of managed settings.
    pub managed: Option<PathBuf>,
    /// The files of users and repositories that are read.
    pub sources: Sources,
    /// The facts about trust in the folder (G3).
    pub trust: Trust,
    /// Folders inside the start directory whose settings also count, the outermost first (C4).
    pub nested: Vec<NestedFolder>,
    /// Set if any configuration error stops the start (C7).
    pub strict: bool,
    /// Set if events wait for handlers that would go to the background, for a host that ends with the event: `async`,
    /// `asyncRewake` and self-announced hooks then run to their end and decide like any other (A1, A2, A4).
    pub waits_for_async: bool,
    /// Alternative names of tools (M7).
    pub tools: Renames,
}

impl Request {
    /// Creates a request for all files of `profile`, for a non-interactive session in the trusted folder `start`.
    pub fn new(profile: Profile, environment: Environment, start: impl Into<PathBuf>) -> Self {
        Request {
            profile,
            environment,
            start: start.into(),
            flag: None,
            permissions: FlagPermissions::default(),
            plugins: Vec::new(),
            tolerates_missing_plugins: false,
            managed: None,
            sources: Sources::default(),
            trust: Trust::default(),
            nested: Vec::new(),
            strict: false,
            waits_for_async: false,
            tools: Renames::tools(),
        }
    }
}

/// Settings that were passed on the command line.
#[derive(Clone, PartialEq, Eq)]
pub enum FlagSettings {
    /// Settings as JSON text.
    Text(String),
    /// The path of a settings file, which has to exist.
    File(PathBuf),
}

impl fmt::Debug for FlagSettings {
    /// Formats the value without the text, which may contain secrets (S3).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlagSettings::Text(text) => f.debug_tuple("Text").field(&text.len()).finish(),
            FlagSettings::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

/// A plugin on disk (C9).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plugin {
    /// The id in policy and settings, `plugin@marketplace`.
    pub id: Arc<str>,
    /// The name that people, commands and tools use. A manifest that names the plugin decides.
    pub name: Arc<str>,
    /// Its directory.
    pub directory: PathBuf,
    /// The directory for its data (`…_PLUGIN_DATA`); by default a separate directory below the user's plugins.
    pub data: Option<PathBuf>,
    /// Its options (`…_PLUGIN_OPTION_<KEY>`).
    pub options: Vec<PluginOption>,
    /// The way in which it came into the configuration.
    pub origin: PluginOrigin,
    /// The directory of the marketplace that lists it, if it is known.
    pub marketplace: Option<PathBuf>,
}

/// An option of a plugin and its value. `Debug` does not show the value: it may be a key (S3).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginOption {
    /// The key, as the manifest declares it.
    pub key: String,
    /// The value, as processes see it.
    pub value: String,
    /// Set if the manifest calls the value sensitive: then no text that a model reads contains it.
    pub is_sensitive: bool,
}

impl PluginOption {
    /// Returns an option that the manifest does not call sensitive.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        PluginOption { key: key.into(), value: value.into(), is_sensitive: false }
    }

    /// Marks the value as sensitive.
    #[must_use]
    pub fn sensitive(self) -> Self {
        PluginOption { is_sensitive: true, ..self }
    }
}

impl fmt::Debug for PluginOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginOption")
            .field("key", &self.key)
            .field("is_sensitive", &self.is_sensitive)
            .finish_non_exhaustive()
    }
}

/// The way a plugin came into a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginOrigin {
    /// The host names it, by its id.
    Host,
    /// The command line or the host names its directory. Its id is `<name>@inline`.
    Directory,
    /// Settings turn it on.
    Installed {
        /// Set if only files that come with the project turn it on.
        by_project: bool,
    },
    /// The plugin is in a directory of skills. Its id is `<name>@skills-dir`.
    SkillsDirectory {
        /// Set if that directory is the project's.
        by_project: bool,
    },
}

impl Plugin {
    /// Creates a plugin with an id, and with the default data directory and options for it.
    pub fn new(id: impl AsRef<str>, directory: impl Into<PathBuf>) -> Self {
        let PluginSource { id, name } = PluginSource::from(id.as_ref());
        let (directory, origin) = (directory.into(), PluginOrigin::Host);
        Plugin { id, name, directory, data: None, options: Vec::new(), origin, marketplace: None }
    }

    /// Creates a plugin that is known by its directory, as `--plugin-dir` names one.
    pub fn in_directory(directory: impl Into<PathBuf>) -> Self {
        let directory = directory.into();
        let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy().into_owned();
        let id = format!("{name}@{}", super::plugins::INLINE);
        Plugin { origin: PluginOrigin::Directory, ..Plugin::new(id, directory) }
    }

    /// Returns the plugin as the source of its handlers.
    pub fn source(&self) -> PluginSource {
        PluginSource { id: self.id.clone(), name: self.name.clone() }
    }
}

/// A folder inside the one in which the session starts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NestedFolder {
    /// Its path, absolute.
    pub directory: PathBuf,
    /// Set if this folder itself is trusted; otherwise its files restrict and grant nothing (G3).
    pub is_trusted: bool,
}

impl NestedFolder {
    /// Returns a folder below the project.
    pub fn new(directory: impl Into<PathBuf>, is_trusted: bool) -> Self {
        NestedFolder { directory: directory.into(), is_trusted }
    }
}

/// The files that are read in addition to managed settings and those of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sources {
    /// The user's settings.
    pub user: bool,
    /// The project's shared settings.
    pub project: bool,
    /// The project's settings of this machine.
    pub local: bool,
}

impl Sources {
    /// Returns no sources except managed settings and those of the command line.
    pub const fn none() -> Self {
        Sources { user: false, project: false, local: false }
    }

    /// Sets whether the user's settings are read.
    #[must_use]
    pub const fn user(self, user: bool) -> Self {
        Sources { user, ..self }
    }

    /// Sets whether the project's shared settings are read.
    #[must_use]
    pub const fn project(self, project: bool) -> Self {
        Sources { project, ..self }
    }

    /// Sets whether the project's settings of this machine are read.
    #[must_use]
    pub const fn local(self, local: bool) -> Self {
        Sources { local, ..self }
    }
}

impl Default for Sources {
    fn default() -> Self {
        Sources { user: true, project: true, local: true }
    }
}

/// The facts about trust (G3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trust {
    /// Set if a person is present in the session.
    pub interactive: bool,
    /// Set if the workspace is trusted, itself or by a parent.
    pub trusted: bool,
    /// Set if this folder itself is trusted.
    pub this_folder_trusted: bool,
}

impl Trust {
    /// Sets whether a person is present in the session.
    #[must_use]
    pub const fn interactive(self, interactive: bool) -> Self {
        Trust { interactive, ..self }
    }

    /// Sets whether the workspace is trusted, itself or by a parent.
    #[must_use]
    pub const fn trusted(self, trusted: bool) -> Self {
        Trust { trusted, ..self }
    }

    /// Sets whether this folder itself is trusted.
    #[must_use]
    pub const fn this_folder_trusted(self, this_folder_trusted: bool) -> Self {
        Trust { this_folder_trusted, ..self }
    }

    /// Returns whether anything may run at all: a session without a person counts as trusted.
    pub fn lets_hooks_run(self) -> bool {
        !self.interactive || self.trusted
    }
}

impl Default for Trust {
    /// Returns the facts of a session that is not interactive, in a trusted folder.
    fn default() -> Self {
        Trust { interactive: false, trusted: true, this_folder_trusted: true }
    }
}
