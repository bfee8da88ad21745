//! The files that name MCP servers, and their content. This is the only place that opens them.
//!
//! They are the settings files, which also define hooks, and files that only define servers. A missing file has no
//! effect; an unreadable one is an error, since it may have denied anything.

use super::error::DiscoveryError;
use becket_base::text_file::{self, Unread, read_if_there};
use becket_engine::config::{LoadedFiles, Request, load, trust};
use becket_mcp::config::{
    ConfigError, Layer, PluginValues, Scope, Settings, read_file, read_settings, read_user_file,
};
use becket_model::Source;
use std::ffi::OsStr;
use std::path::Path;

/// The file of a project's servers, looked up from the start directory up to the project's root.
pub const PROJECT_FILE: &str = ".mcp.json";
/// The file of an administrator's servers, next to the managed settings. If it exists, only its servers count.
const MANAGED_FILE: &str = "managed-mcp.json";
/// The path of a plugin's manifest.
const MANIFEST: &str = ".claude-plugin/plugin.json";

/// The setting with the effect of `--approve-all`.
const APPROVE_ALL: &str = r#"{"enableAllProjectMcpServers": true}"#;

/// The content of all files.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) settings: Settings,
    /// True if an administrator has a file of servers: all others are excluded.
    pub(super) exclusive: bool,
}

/// The servers that a user names for one session, as on a command line.
#[derive(Debug, Clone, Default)]
pub struct NamedServers {
    /// Paths of files, or texts that start with a brace.
    pub servers: Vec<String>,
    /// True if no other servers count, except those of an administrator.
    pub alone: bool,
    /// True if all servers of the project are approved.
    pub approves_project: bool,
}

/// Reads all files; `project` is the key of the project in the user's own file.
///
/// # Errors
/// Errors if a file can't be read, or one that may contain denials is not JSON.
pub(super) fn read_all(
    request: &Request,
    named: &NamedServers,
    project: &str,
) -> Result<Files, DiscoveryError> {
    let loaded = load(request);
    let mut files = Files::default();
    managed(request, &mut files)?;
    settings(request, &loaded, named.alone, &mut files)?;
    if !named.alone {
        user_file(request, project, &mut files)?;
        project_files(request, &mut files)?;
        plugins(&loaded, &mut files)?;
    }
    if named.approves_project {
        let approves = read_settings(APPROVE_ALL, Path::new("<--approve-all>"), Scope::CommandLine)?;
        files.settings.join(approves);
    }
    for argument in &named.servers {
        files.settings.layers.push(command_line(argument, &request.start)?);
    }
    Ok(files)
}

impl Files {
    fn layer(&mut self, read: Result<Layer, ConfigError>) {
        match read {
            Ok(layer) => self.settings.layers.push(layer),
            Err(problem) => self.settings.problems.push(problem),
        }
    }
}

fn managed(request: &Request, files: &mut Files) -> Result<(), DiscoveryError> {
    let directory = request.managed.as_ref().unwrap_or(&request.profile.managed);
    let file = directory.join(MANAGED_FILE);
    if let Some(text) = read_if_there(&file)? {
        files.exclusive = true;
        let layer = read_file(&text, &file, Scope::Managed)?;
        files.settings.layers.push(layer);
    }
    Ok(())
}

/// Reads settings files. A plugin's own files are read with the plugin.
fn settings(
    request: &Request,
    loaded: &LoadedFiles,
    alone: bool,
    files: &mut Files,
) -> Result<(), DiscoveryError> {
    for layer in loaded.layers() {
        let scope = match &layer.source {
            Source::Policy => Scope::Managed,
            Source::Flag => Scope::CommandLine,
            Source::User => Scope::User,
            Source::Project => Scope::Project,
            // A folder's own files can't approve its servers (G3).
            Source::Local if loaded.local_is_shared() => Scope::Project,
            Source::Local => Scope::Local,
            Source::Plugin(_) | Source::Skill(_) | Source::Agent(_) | Source::Callback | Source::Function => {
                continue;
            }
        };
        let counts = !alone || scope == Scope::Managed;
        let text = layer
            .text
            .as_ref()
            .map_err(|error| Unread::Refused { path: layer.file.to_path_buf(), why: error.to_string() })?;
        // An unreadable file may have denied anything.
        let mut read = read_settings(text, &layer.file, scope)?;
        if !counts {
            read.layers.clear();
        }
        let placed = |read| in_its_directory(read, &layer.file, request);
        read.layers = read.layers.into_iter().map(placed).collect();
        files.settings.join(read);
    }
    Ok(())
}

fn user_file(request: &Request, project: &str, files: &mut Files) -> Result<(), DiscoveryError> {
    let Some(file) = trust::user_file(request) else { return Ok(()) };
    if let Some(text) = read_if_there(&file)? {
        files.settings.join(read_user_file(&text, &file, project)?);
    }
    Ok(())
}

/// Returns the files from the project's root down to the start directory: the nearest has the highest precedence.
fn project_files(request: &Request, files: &mut Files) -> Result<(), DiscoveryError> {
    let root = trust::project_root(request);
    let mut directories: Vec<&Path> = request.start.ancestors().collect();
    directories.truncate(directories.iter().position(|place| *place == root).map_or(1, |at| at + 1));
    for directory in directories.into_iter().rev() {
        let file = directory.join(PROJECT_FILE);
        if let Some(text) = read_if_there(&file)? {
            let read = read_file(&text, &file, Scope::Project);
            files.layer(read.map(|layer| layer.in_directory(directory, &root)));
        }
    }
    Ok(())
}

/// Places a layer of the project in the directory whose settings contain the file; a layer of another scope stays as it
/// is. Servers of a file outside of the project, such as one of a plugin, start where the session does.
pub(super) fn in_its_directory(layer: Layer, file: &Path, request: &Request) -> Layer {
    if *layer.scope() != Scope::Project {
        return layer;
    }
    let root = trust::project_root(request);
    let name = Some(OsStr::new(&*request.profile.directory));
    let settings = file.ancestors().find(|directory| directory.file_name() == name);
    let directory = settings.and_then(Path::parent).filter(|directory| directory.starts_with(&root));
    layer.in_directory(directory.unwrap_or(&request.start), &root)
}

/// Returns the servers of the enabled plugins. Those that only the project enables wait until the folder is trusted
/// (G3).
fn plugins(loaded: &LoadedFiles, files: &mut Files) -> Result<(), DiscoveryError> {
    for plugin in loaded.plugins() {
        let options = plugin.options.iter().map(|option| (option.key.clone(), option.value.clone()));
        let values = Box::new(PluginValues { data: plugin.data.clone(), options: options.collect() });
        let (name, root) = (plugin.name.to_string(), plugin.directory.clone());
        let scope = || Scope::Plugin { name: name.clone(), root: root.clone(), values: values.clone() };
        let file = plugin.directory.join(PROJECT_FILE);
        if let Some(text) = read_if_there(&file)? {
            files.layer(read_file(&text, &file, scope()));
        }
        let manifest = plugin.directory.join(MANIFEST);
        if let Some(text) = read_if_there(&manifest)? {
            match read_settings(&text, &manifest, scope()) {
                // A manifest names servers; it neither allows nor denies any.
                Ok(read) => files.settings.layers.extend(read.layers),
                Err(problem) => files.settings.problems.push(problem),
            }
        }
    }
    Ok(())
}

/// Parses a command-line argument. An invalid one ends the command: nothing runs without servers that were requested.
fn command_line(argument: &str, start: &Path) -> Result<Layer, DiscoveryError> {
    if argument.trim_start().starts_with('{') {
        return Ok(read_file(argument, Path::new("<--mcp-config>"), Scope::CommandLine)?);
    }
    let file = start.join(argument);
    Ok(read_file(&text_file::read(&file)?, &file, Scope::CommandLine)?)
}
