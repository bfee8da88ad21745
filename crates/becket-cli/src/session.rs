//! From global options to the engine's own words: where the session starts, what is loaded, as whom.

use crate::args::{Global, ProfileName};
use crate::env::Surroundings;
use crate::error::CliError;
use becket_engine::config::{FlagPermissions, FlagSettings, Network, Plugin, Request, Sources, Trust};
use becket_engine::{Builder, Engine, Environment, Profile};
use std::path::{Path, PathBuf};

/// The place and the dialect that a command works in.
#[derive(Debug)]
pub(crate) struct Session {
    /// The directory in which the session starts, absolute; relative paths of arguments start here too.
    pub(crate) start: PathBuf,
    profile: Profile,
    environment: Environment,
    flag: Option<FlagSettings>,
    sources: Sources,
    permissions: FlagPermissions,
    plugins: Vec<PathBuf>,
    managed: Option<PathBuf>,
    strict: bool,
    folder_trusted: bool,
}

impl Session {
    /// Resolves the global options.
    ///
    /// # Errors
    /// Where the directory is gone or none.
    pub(crate) fn new(global: &Global, around: &Surroundings) -> Result<Self, CliError> {
        let start = start(global.directory.as_deref(), around)?;
        let mut environment = Environment::from_vars(around.vars.iter().cloned()).with_temp(&around.temp);
        if let Some(home) = &around.home {
            environment = environment.with_home(home);
        }
        Ok(Session {
            profile: profile(global.profile),
            environment,
            flag: global.settings.as_ref().map(|given| settings(given, &start)),
            sources: Sources::default(),
            permissions: FlagPermissions::default(),
            plugins: global.plugin_dir.iter().map(|directory| start.join(directory)).collect(),
            managed: global.managed_dir.as_ref().map(|directory| start.join(directory)),
            strict: global.strict,
            folder_trusted: true,
            start,
        })
    }

    /// The same, with private networks that HTTP handlers of every source may reach (S1).
    ///
    /// # Errors
    /// Where one is no network.
    pub(crate) fn with_networks(mut self, networks: &[String]) -> Result<Self, CliError> {
        for given in networks {
            let network: Result<Network, _> = given.parse();
            network.map_err(|why| CliError::Network { given: given.clone(), why: why.to_string() })?;
        }
        if !networks.is_empty() {
            let settings = serde_json::json!({"httpHookAllowedNetworks": networks});
            self.flag = Some(FlagSettings::Text(settings.to_string()));
        }
        Ok(self)
    }

    /// The same, with only these settings files.
    pub(crate) fn with_sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    /// The same, with permissions of the command line.
    pub(crate) fn with_permissions(mut self, permissions: FlagPermissions) -> Self {
        self.permissions = permissions;
        self
    }

    /// The same, in a folder that the user may not trust: then what it brings along grants nothing (G3).
    pub(crate) fn with_folder_trusted(mut self, trusted: bool) -> Self {
        self.folder_trusted = trusted;
        self
    }

    /// The settings file of the command line.
    pub(crate) fn settings_file(&self) -> Option<&Path> {
        match &self.flag {
            Some(FlagSettings::File(file)) => Some(file),
            Some(FlagSettings::Text(_)) | None => None,
        }
    }

    /// The variables and the home of the session.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// What the whole effective configuration is loaded from.
    pub(crate) fn request(&self) -> Request {
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

    /// An engine over the configuration. Whoever types a command in a folder trusts it, but not what a model does there:
    /// see [`Session::with_folder_trusted`].
    pub(crate) fn builder(&self, somebody_to_ask: bool) -> Builder {
        let mut request = self.request();
        request.trust = Trust { interactive: somebody_to_ask, trusted: true, ..request.trust };
        Engine::builder().request(|whole| *whole = request)
    }
}

/// A plugin on the command line is known by its directory's name.
pub(crate) fn plugin(directory: &Path) -> Plugin {
    let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy();
    Plugin::new(name.as_ref(), directory)
}

fn profile(name: ProfileName) -> Profile {
    match name {
        ProfileName::Claude => Profile::claude(),
        ProfileName::Agent => Profile::agent(),
        ProfileName::Becket => Profile::becket(),
    }
}

fn settings(given: &str, start: &Path) -> FlagSettings {
    if given.trim_start().starts_with('{') {
        FlagSettings::Text(given.to_owned())
    } else {
        FlagSettings::File(start.join(given))
    }
}

fn start(directory: Option<&Path>, around: &Surroundings) -> Result<PathBuf, CliError> {
    let refused = |path: &Path, why: String| CliError::NoDirectory { path: path.to_owned(), why };
    let cwd = around.cwd.as_deref();
    let path = match (cwd, directory) {
        (Some(cwd), Some(directory)) => cwd.join(directory),
        (None, Some(directory)) if directory.is_absolute() => directory.to_owned(),
        (Some(cwd), None) => return Ok(cwd.to_owned()),
        (None, _) => return Err(CliError::NoWorkingDirectory),
    };
    let resolved = if cfg!(windows) { std::path::absolute(&path) } else { path.canonicalize() };
    let resolved = resolved.map_err(|error| refused(&path, error.to_string()))?;
    if !resolved.is_dir() {
        return Err(refused(&path, "it is no directory".to_owned()));
    }
    Ok(resolved)
}
