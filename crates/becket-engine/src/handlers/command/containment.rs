//! Containment of hooks from plugins (E5): they read the system, the project and the plugin's directory, write the
//! plugin's data and a private directory for temporary files, and have no network. Only `sandbox.plugins` grants more.

use crate::config::handler::Handler;
use crate::config::{Config, Plugin, SandboxGrant};
use crate::handlers::context::HandlerContext;
use crate::host::private_files::RunDirectory;
use becket_model::{Failure, NetworkRights, PathRights, Rights, Source};
use becket_process::Confinement;
use std::path::{Path, PathBuf};

/// The directories of the system. Missing ones grant nothing.
const SYSTEM: [&str; 13] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/proc", "/sys",
    "/dev",
];

/// The containment of a hook.
pub(super) struct Containment {
    pub(super) confinement: Confinement,
    /// The directory for temporary files, which is removed after the run.
    pub(super) temporary: RunDirectory,
}

/// Returns the warning about a hook that has failed while it was contained; `None` if it has all rights.
pub(super) fn hint(config: &Config, handler: &Handler) -> Option<String> {
    let Plugin { id, .. } = contained_plugin(config, handler)?;
    Some(format!(
        "it ran with the rights of `\"pluginHooks\": \"contained\"`, which may be the cause; `sandbox.plugins.{id}` grants more"
    ))
}

/// Returns the containment of a handler; `None` if it has all rights. `env_file` is the file that it may write
/// variables to (H12).
pub(super) fn of(
    context: &HandlerContext<'_>,
    handler: &Handler,
    env_file: Option<&Path>,
) -> Result<Option<Containment>, Failure> {
    let config = &context.snapshot.config;
    let Some(plugin) = contained_plugin(config, handler) else { return Ok(None) };
    let refused = |message: String| Failure::NotContained { message };
    let grant = config.sandbox.plugins.get(&plugin.id);
    let host = context.engine.host.confinement.as_deref();
    let host = host.ok_or_else(|| refused("this host has no means to restrict a process".to_owned()))?;
    let session = &context.event.session.id;
    let temporary = context.engine.files.run_dir(session).map_err(|error| refused(error.to_string()))?;
    let own = [plugin.data.clone(), handler.root.as_ref().and_then(|root| root.data.clone())];
    let own = own.into_iter().flatten().chain([temporary.path().to_owned()]);
    let written: Vec<PathBuf> = own.chain(env_file.map(Path::to_owned)).collect();
    let rights = rights(context, plugin, grant, written).map_err(refused)?;
    let confinement = host.prepare(&rights).map_err(refused)?;
    Ok(Some(Containment { confinement, temporary }))
}

/// Returns the plugin that contains the handler, in its hooks or in a definition of a skill or an agent; `None` if
/// there is none, or if hooks of plugins have all rights.
fn contained_plugin<'c>(config: &'c Config, handler: &Handler) -> Option<&'c Plugin> {
    if !config.sandbox.contains_plugins {
        return None;
    }
    let mut plugins = config.plugins.iter();
    match &handler.place.source {
        Source::Plugin(source) => plugins.find(|plugin| plugin.id == source.id),
        Source::Skill(_) | Source::Agent(_) => {
            plugins.find(|plugin| handler.location.file.starts_with(&plugin.directory))
        }
        Source::Policy
        | Source::Flag
        | Source::User
        | Source::Project
        | Source::Local
        | Source::Callback
        | Source::Function => None,
    }
}

fn rights(
    context: &HandlerContext<'_>,
    plugin: &Plugin,
    grant: Option<&SandboxGrant>,
    mut written: Vec<PathBuf>,
) -> Result<Rights, String> {
    let places = &context.snapshot.places;
    let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    read.extend(context.engine.environment.var("PATH").into_iter().flat_map(std::env::split_paths));
    read.extend([plugin.directory.clone(), places.project_dir.clone(), context.event.session.cwd.clone()]);
    let mut rights = Rights { network: NetworkRights::Nothing, ..Rights::default() };
    if let Some(grant) = grant {
        written.extend(grant.allow_write.iter().cloned());
        read.extend(grant.allow_read.iter().cloned());
        rights = grant.denied()?;
        // A thread can't have its own network, in which a proxy would filter.
        if let NetworkRights::Domains(_) = rights.network {
            rights.network = rights.network.local();
        }
    }
    read.extend(written.iter().cloned());
    Ok(Rights { read: PathRights::below(read), write: PathRights::below(written), ..rights })
}
