//! From global options to what a session is launched with.

use crate::args::{Global, ProfileName};
use crate::env::Surroundings;
use crate::error::CliError;
use becket_embed::launch;
use becket_engine::config::{FlagSettings, Network};
use becket_engine::{Environment, Profile};
use std::path::{Path, PathBuf};

pub(crate) use becket_embed::Launch as Session;

/// Resolves the global options.
///
/// # Errors
/// Where the directory is gone or none.
pub(crate) fn launched(global: &Global, around: &Surroundings) -> Result<Session, CliError> {
    let start = start(global.directory.as_deref(), around)?;
    Ok(Session {
        flag: global.settings.as_ref().map(|given| settings(given, &start)),
        plugins: global.plugin_dir.iter().map(|directory| start.join(directory)).collect(),
        managed: global.managed_dir.as_ref().map(|directory| start.join(directory)),
        strict: global.strict,
        ..Session::new(profile(global.profile), environment(around), start)
    })
}

/// The same, with private networks that HTTP handlers of every source may reach (S1).
///
/// # Errors
/// Where one is no network.
pub(crate) fn with_networks(mut session: Session, networks: &[String]) -> Result<Session, CliError> {
    for given in networks {
        let network: Result<Network, _> = given.parse();
        network.map_err(|why| CliError::Network { given: given.clone(), why: why.to_string() })?;
    }
    if !networks.is_empty() {
        let settings = serde_json::json!({"httpHookAllowedNetworks": networks});
        session.flag = Some(FlagSettings::Text(settings.to_string()));
    }
    Ok(session)
}

/// What sessions know of the process and the machine around it.
pub(crate) fn environment(around: &Surroundings) -> Environment {
    let environment = Environment::from_vars(around.vars.iter().cloned()).with_temp(&around.temp);
    match &around.home {
        Some(home) => environment.with_home(home),
        None => environment,
    }
}

/// A dialect by its name.
pub(crate) fn profile(name: ProfileName) -> Profile {
    match name {
        ProfileName::Claude => Profile::claude(),
        ProfileName::Agent => Profile::agent(),
        ProfileName::Becket => Profile::becket(),
    }
}

/// The settings of the command line: a text, or a file below `start`.
pub(crate) fn settings(given: &str, start: &Path) -> FlagSettings {
    if given.trim_start().starts_with('{') {
        FlagSettings::Text(given.to_owned())
    } else {
        FlagSettings::File(start.join(given))
    }
}

fn start(directory: Option<&Path>, around: &Surroundings) -> Result<PathBuf, CliError> {
    let cwd = around.cwd.as_deref();
    let path = match (cwd, directory) {
        (Some(cwd), Some(directory)) => cwd.join(directory),
        (None, Some(directory)) if directory.is_absolute() => directory.to_owned(),
        (Some(cwd), None) => return Ok(cwd.to_owned()),
        (None, _) => return Err(CliError::NoWorkingDirectory),
    };
    launch::start(&path).map_err(|why| CliError::NoDirectory { path, why })
}
