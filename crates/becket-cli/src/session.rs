//! Resolves global options to the launch of a session.

use crate::args::{Global, ProfileName};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::out::Out;
use crate::project;
use crate::report::style::{WARNING, plain};
use becket_base::address::Network;
use becket_engine::config::{FlagSettings, read_text};
use becket_engine::{Environment, Profile};
use becket_fire::{hook_launch, launch};
use becket_tools::{SystemConfinement, SystemStandbys};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use becket_fire::Launch as Session;

/// Resolves the global options. The paths in them are relative to the working directory of the process, regardless of
/// `-C`.
///
/// # Errors
/// Errors if the directory is missing or not a directory, or if named settings or a named plugin do not exist.
pub(crate) fn launched(global: &Global, around: &Surroundings) -> Result<Session, CliError> {
    launched_in(start(global.directory.as_deref(), around)?, global, around)
}

fn launched_in(start: PathBuf, global: &Global, around: &Surroundings) -> Result<Session, CliError> {
    let typed = |path: &Path| match &around.process.cwd {
        Some(cwd) => Ok(cwd.join(path)),
        None if path.is_absolute() => Ok(path.to_owned()),
        None => Err(CliError::NoWorkingDirectory),
    };
    let directories = global.plugin_dir.iter().map(|directory| plugin(typed(directory)?));
    Ok(Session {
        flag: global.settings.as_ref().map(|given| settings(given, typed)).transpose()?,
        plugins: directories.collect::<Result<_, _>>()?,
        managed: global.managed_dir.as_ref().map(|directory| typed(directory)).transpose()?,
        strict: global.strict,
        confinement: Some(Arc::new(SystemConfinement)),
        standbys: Some(Arc::new(SystemStandbys)),
        ..Session::new(profile(global.profile), environment(around), start)
    })
}

/// Resolves the global options for the commands of authors: below a project, with its settings. Reports settings that a
/// session here would not read.
///
/// # Errors
/// Errors as [`launched`] does.
pub(crate) fn in_project(global: &Global, around: &Surroundings, out: &Out) -> Result<Session, CliError> {
    let session = launched(global, around)?;
    let request = session.request();
    let Some(parent) = project::parent(&session.start, &request) else { return Ok(session) };
    let why = project::not_read_by_sessions(&parent, &request);
    let parent_name = plain(&around.short(&parent));
    out.note(&format!(
        "{WARNING}note:{WARNING:#} these are the settings of `{parent_name}`: {}\n",
        plain(&why)
    ));
    Ok(Session { project: Some(parent), ..session })
}

/// Resolves the session for the hook of another agent, about an event in `cwd`. The project is the one that the agent
/// names; otherwise it is searched for, since a model may have changed to any directory in it. `variables` are those by
/// which the agent may name it.
///
/// # Errors
/// Errors as [`launched`] does, or if the directory that the agent names, or the current one, is missing.
pub(crate) fn as_hook(
    cwd: &Path,
    variables: &[&str],
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> Result<Session, CliError> {
    if global.directory.is_some() {
        return launched(global, around);
    }
    let found = hook_launch(cwd, variables, &around.process, |start| launched_in(start, global, around))?;
    for file in &found.foreign {
        let file = plain(&file.display().to_string());
        out.eprint(&format!("`{file}` is not read: neither this user nor root owns it\n"));
    }
    Ok(found.launch)
}

/// Adds private networks that HTTP handlers of every source may reach (S1).
///
/// # Errors
/// Errors if one of them is not a network.
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

/// Returns the facts about the process and the machine around it for sessions.
pub(crate) fn environment(around: &Surroundings) -> Environment {
    around.process.environment()
}

/// Returns the profile with that name.
pub(crate) fn profile(name: ProfileName) -> Profile {
    match name {
        ProfileName::Claude => Profile::claude(),
        ProfileName::Agent => Profile::agent(),
        ProfileName::Becket => Profile::becket(),
    }
}

/// Returns the directory of a plugin, which must exist: missing guards must not go unnoticed.
fn plugin(path: PathBuf) -> Result<PathBuf, CliError> {
    match launch::plugin_directory(&path) {
        Ok(()) => Ok(path),
        Err(why) => Err(CliError::NoPlugin { path, why }),
    }
}

/// Returns the settings of the command line: a text, or a file that must exist.
fn settings(
    given: &str,
    typed: impl Fn(&Path) -> Result<PathBuf, CliError>,
) -> Result<FlagSettings, CliError> {
    if given.trim_start().starts_with('{') {
        return Ok(FlagSettings::Text(given.to_owned()));
    }
    let file = typed(Path::new(given))?;
    let unread = |why: String| CliError::usage(format!("`--settings {given}` can't be read: {why}"));
    match read_text(&file) {
        Ok(Some(_)) => Ok(FlagSettings::File(file)),
        Ok(None) => Err(unread(format!("there is no file `{}`", file.display()))),
        Err(error) => Err(unread(error.to_string())),
    }
}

fn start(directory: Option<&Path>, around: &Surroundings) -> Result<PathBuf, CliError> {
    let cwd = around.process.cwd.as_deref();
    let path = match (cwd, directory) {
        (Some(cwd), Some(directory)) => cwd.join(directory),
        (None, Some(directory)) if directory.is_absolute() => directory.to_owned(),
        (Some(cwd), None) => return Ok(cwd.to_owned()),
        (None, _) => return Err(CliError::NoWorkingDirectory),
    };
    launch::start(&path).map_err(|why| CliError::NoDirectory { path, why })
}
