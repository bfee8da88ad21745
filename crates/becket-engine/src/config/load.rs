//! Finds the files of a configuration (C4, C9) and reads them: the only I/O of this module.
//!
//! It interprets nothing in a file, except the paths in a plugin's manifest. A file that does not exist is not a layer;
//! one that can't be read is a layer with its error.

use super::changed_files::ChangedFiles;
use super::git::Repository;
use super::plugins::{self, Fault, MissingPlugin};
use super::policy_answer::{self, PolicyAnswer};
use super::provenance::may_come_with_folder;
use super::request::{FlagSettings, Plugin, Request};
use super::source::read::{self, MAX_FILE, ReadError};
use super::trust::is_of_project;
use crate::config::handler::Root;
use becket_base::is_same_path;
use becket_model::Source;
use becket_rules::Destination;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One text of the configuration. `Debug` does not show the text, which may contain secrets (S3).
#[derive(Clone, PartialEq)]
pub struct Layer {
    /// The source that it belongs to.
    pub source: Source,
    /// The file, or a name in angle brackets.
    pub file: Arc<Path>,
    /// Its text, or the reason why there is none.
    pub text: Result<Arc<str>, ReadError>,
    /// The kind of the file.
    pub(crate) kind: LayerKind,
    /// The directory that rule paths `/p` start from (P7).
    pub(crate) anchor: PathBuf,
    /// The root and options that its handlers see, for plugins.
    pub(crate) root: Option<Arc<Root>>,
    /// Its number among the sources of its kind.
    pub(crate) nth: u16,
    /// Set if it came, or may have come, with a folder that is not trusted: it restricts, and grants nothing (G3).
    pub(crate) is_untrusted: bool,
    /// The name of the plugin whose entry is meant, for the listing of a marketplace.
    pub(crate) entry: Option<Arc<str>>,
}

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.text.as_ref().map(|text| text.len());
        f.debug_struct("Layer")
            .field("source", &self.source)
            .field("file", &self.file)
            .field("bytes", &length)
            .finish_non_exhaustive()
    }
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LayerKind {
    /// A settings file.
    Settings,
    /// The hooks file of a plugin.
    PluginHooks,
    /// The manifest of a plugin, for the hooks in it.
    PluginManifest,
    /// The listing of a marketplace, for the hooks in the entry of one plugin.
    MarketplaceEntry,
}

/// The files of a configuration, read.
#[derive(Debug, Clone)]
pub struct LoadedFiles {
    pub(crate) request: Request,
    pub(crate) layers: Vec<Layer>,
    /// The plugins that are read, in order.
    pub(crate) plugins: Vec<Plugin>,
    /// Faults of plugins: not found, paths in manifests that lead nowhere, agents with hooks.
    pub(crate) plugin_faults: Vec<Fault>,
    /// The plugins that are on and not found.
    pub(crate) missing_plugins: Vec<MissingPlugin>,
}

impl LoadedFiles {
    /// Returns the texts, in the order of [`Source::list_rank`].
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Returns the plugins in use.
    pub fn plugins(&self) -> &[Plugin] {
        &self.plugins
    }

    /// Returns whether the local settings file may have come with the folder, so that it belongs to the project and not
    /// to its user (G3). Always false if this folder itself is trusted.
    pub fn local_is_shared(&self) -> bool {
        self.layers.iter().any(|layer| layer.source == Source::Local && layer.is_untrusted)
    }

    /// Replaces the text of a file, to see its effect.
    pub fn replace_text(&mut self, file: &Path, text: &str) {
        for layer in self.layers.iter_mut().filter(|layer| *layer.file == *file) {
            layer.text = Ok(text.into());
        }
    }

    /// Returns the text of a file, to show a finding in.
    pub fn text(&self, file: &Path) -> Option<&str> {
        let layer = self.layers.iter().find(|layer| *layer.file == *file)?;
        layer.text.as_deref().ok()
    }
}

/// The sources whose files are at places that the profile names.
const PLACED: [Source; 4] = [Source::Policy, Source::User, Source::Project, Source::Local];

/// The name of a text of settings that is not in a file ([`FlagSettings::Text`]), in findings and places.
pub const FLAG_TEXT: &str = "<--settings>";

/// Reads the configuration that `request` describes.
pub fn load(request: &Request) -> LoadedFiles {
    let mut loaded = nothing_of(request);
    let users = UserDirectory::of(request);
    for source in &PLACED {
        read_placed(source, request, &users, &mut loaded);
    }
    let mut flagged = Vec::new();
    flag(request, &mut flagged);
    flagged.extend(request.permissions.layers(&request.start));
    with_plugins(loaded, flagged, None)
}

/// Puts the files of a source in place of those in `old`, and keeps everything else: a change of another file, above all
/// one that was not accepted, must not come in with this one (C8).
pub(super) fn load_changed(old: &LoadedFiles, changed: ChangedFiles) -> LoadedFiles {
    let kept = |source: &Source| -> Vec<Layer> {
        old.layers.iter().filter(|layer| layer.source == *source).cloned().collect()
    };
    let mut loaded = nothing_of(&old.request);
    let ChangedFiles { source: of_change, mut layers, .. } = changed;
    for source in &PLACED {
        if *source == of_change {
            loaded.layers.append(&mut layers);
        } else {
            loaded.layers.extend(kept(source));
        }
    }
    with_plugins(loaded, kept(&Source::Flag), Some(old))
}

/// Reads all plugins again, as at the start of a session, and keeps every other file as it was read (C8).
pub(crate) fn load_plugins(old: &LoadedFiles) -> LoadedFiles {
    let mut loaded = nothing_of(&old.request);
    let is_placed = |layer: &&Layer| PLACED.contains(&layer.source);
    loaded.layers.extend(old.layers.iter().filter(is_placed).cloned());
    let flagged = old.layers.iter().filter(|layer| layer.source == Source::Flag).cloned().collect();
    with_plugins(loaded, flagged, None)
}

/// Reads the files of a source that are at places which the profile names.
pub(super) fn placed(request: &Request, source: &Source) -> Vec<Layer> {
    let mut loaded = nothing_of(request);
    read_placed(source, request, &UserDirectory::of(request), &mut loaded);
    loaded.layers
}

fn nothing_of(request: &Request) -> LoadedFiles {
    LoadedFiles {
        request: request.clone(),
        layers: Vec::new(),
        plugins: Vec::new(),
        plugin_faults: Vec::new(),
        missing_plugins: Vec::new(),
    }
}

fn read_placed(source: &Source, request: &Request, users: &UserDirectory, loaded: &mut LoadedFiles) {
    match source {
        Source::Policy => managed(request, &mut loaded.layers),
        Source::User => user(request, users, &mut loaded.layers),
        Source::Project => project(request, users, loaded),
        Source::Local => local(request, loaded),
        Source::Plugin(_)
        | Source::Skill(_)
        | Source::Agent(_)
        | Source::Callback
        | Source::Function
        | Source::Flag => {}
    }
}

/// Adds the plugins that the request names and those that the settings read so far enable; those of the configuration
/// `before` as they were read.
fn with_plugins(
    mut loaded: LoadedFiles,
    mut flagged: Vec<Layer>,
    before: Option<&LoadedFiles>,
) -> LoadedFiles {
    plugins::load(&mut loaded, &flagged, before);
    loaded.layers.append(&mut flagged);
    loaded
}

/// Reads managed files, or the answer of the program that they name. If the program fails, its error is added to them
/// (C7b).
fn managed(request: &Request, layers: &mut Vec<Layer>) {
    let directory = request.managed.as_ref().unwrap_or(&request.profile.managed);
    let mut files = Vec::new();
    managed_files(directory, &mut files);
    if let Some(helper) = policy_answer::helper(&files) {
        match policy_answer::ask(&helper, directory, request) {
            Ok(PolicyAnswer::Files) => {}
            Ok(PolicyAnswer::Instead(text)) => {
                files = vec![layer(Source::Policy, &helper.file(), directory, Ok(text))];
            }
            Err(error) => files.push(layer(Source::Policy, &helper.file(), directory, Err(error))),
        }
    }
    layers.append(&mut files);
}

fn managed_files(directory: &Path, layers: &mut Vec<Layer>) {
    add(Source::Policy, &directory.join("managed-settings.json"), directory, layers);
    let drop_ins = directory.join("managed-settings.d");
    match names(&drop_ins) {
        Ok(files) => {
            for file in files {
                add(Source::Policy, &file, directory, layers);
            }
        }
        Err(why) => layers.push(layer(Source::Policy, &drop_ins, directory, Err(why))),
    }
}

/// Returns the JSON files of a directory in the order of their names; none if there is no such directory.
fn names(directory: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let mut files = read::entries(directory)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    Ok(files)
}

/// Returns the directory of the user's settings (C4).
pub(crate) fn user_directory(request: &Request) -> Option<PathBuf> {
    let variable = request.profile.directory_variable.as_ref();
    let replaced =
        variable.and_then(|name| request.environment.var(&**name)).filter(|value| !value.is_empty());
    match replaced {
        Some(directory) => Some(PathBuf::from(directory)),
        None => Some(request.environment.home()?.join(&*request.profile.directory)),
    }
}

impl Request {
    /// Returns the directory of the user's settings (C4), if there is a home or a variable that names it.
    pub fn user_directory(&self) -> Option<PathBuf> {
        user_directory(self)
    }

    /// Returns the directory of the user's settings, unless it is a part of the project: then its files are the
    /// project's (G3).
    pub fn users_own_directory(&self) -> Option<PathBuf> {
        match UserDirectory::of(self) {
            UserDirectory::Own(directory) => Some(directory),
            UserDirectory::OfProject(_) | UserDirectory::Nowhere => None,
        }
    }

    /// Returns the directory of the user's settings if it is a part of the project, so that all that it contains may have
    /// come with the folder (G3).
    pub fn users_directory_of_project(&self) -> Option<PathBuf> {
        match UserDirectory::of(self) {
            UserDirectory::OfProject(directory) => Some(directory),
            UserDirectory::Own(_) | UserDirectory::Nowhere => None,
        }
    }

    /// Returns the file of a destination of permission updates (P13); `None` for the session, and for the user's if
    /// there is no home directory.
    pub fn settings_file(&self, destination: Destination) -> Option<PathBuf> {
        let directory = &*self.profile.directory;
        match destination {
            Destination::Session => None,
            Destination::LocalSettings => {
                Some(local_root(self).0.join(directory).join("settings.local.json"))
            }
            Destination::ProjectSettings => Some(self.start.join(directory).join("settings.json")),
            Destination::UserSettings => Some(user_directory(self)?.join("settings.json")),
        }
    }
}

/// The directory of the user's settings, by its owner. Finding that out reads the disk.
enum UserDirectory {
    /// It is the user's own.
    Own(PathBuf),
    /// It is a part of the project (G3).
    OfProject(PathBuf),
    /// There is no home, and no variable names a directory.
    Nowhere,
}

impl UserDirectory {
    fn of(request: &Request) -> Self {
        match user_directory(request) {
            Some(directory) if is_of_project(&directory, request) => UserDirectory::OfProject(directory),
            Some(directory) => UserDirectory::Own(directory),
            None => UserDirectory::Nowhere,
        }
    }
}

fn user(request: &Request, users: &UserDirectory, layers: &mut Vec<Layer>) {
    if let (UserDirectory::Own(directory), true) = (users, request.sources.user) {
        add(Source::User, &directory.join("settings.json"), directory, layers);
    }
}

fn project(request: &Request, users: &UserDirectory, loaded: &mut LoadedFiles) {
    // A session that starts in the home directory finds the user's file there, which does not belong to a project.
    let users = match users {
        UserDirectory::Own(directory) => Some(directory.join("settings.json")),
        UserDirectory::OfProject(directory) => {
            users_file_of_project(directory, request, loaded);
            None
        }
        UserDirectory::Nowhere => None,
    };
    if !request.sources.project {
        return;
    }
    let this_folder = (request.start.as_path(), request.trust.this_folder_trusted);
    let nested = request.nested.iter().map(|folder| (folder.directory.as_path(), folder.is_trusted));
    for (folder, is_trusted) in std::iter::once(this_folder).chain(nested) {
        let file = folder.join(&*request.profile.directory).join("settings.json");
        let before = loaded.layers.len();
        add(Source::Project, &file, folder, &mut loaded.layers);
        // A missing file needs no comparison, and most are missing.
        if loaded.layers.len() > before && users.as_ref().is_some_and(|users| is_same_path(users, &file)) {
            loaded.layers.truncate(before);
        }
        loaded.layers.iter_mut().skip(before).for_each(|layer| layer.is_untrusted = !is_trusted);
    }
}

/// Adds the user's file as one of the project's, unless it is read as that anyway: what comes with a folder is not the
/// user's own (G3), but its guards count.
fn users_file_of_project(directory: &Path, request: &Request, loaded: &mut LoadedFiles) {
    if !request.sources.user && !request.sources.project {
        return;
    }
    let directory = request.start.join(directory);
    let nested = request.nested.iter().map(|folder| &folder.directory);
    let mut folders = std::iter::once(&request.start).chain(nested);
    let is_read = |folder: &PathBuf| is_same_path(&folder.join(&*request.profile.directory), &directory);
    if request.sources.project && folders.any(is_read) {
        return;
    }
    let before = loaded.layers.len();
    add(Source::Project, &directory.join("settings.json"), &directory, &mut loaded.layers);
    let is_untrusted = !request.trust.this_folder_trusted;
    loaded.layers.iter_mut().skip(before).for_each(|layer| layer.is_untrusted = is_untrusted);
}

/// Returns the root that the local file belongs to: that of the repository; on Windows and outside one the start
/// directory.
pub(crate) fn local_root(request: &Request) -> (PathBuf, Option<Repository>) {
    let repository = if cfg!(windows) { None } else { Repository::around(&request.start) };
    (repository.as_ref().map_or_else(|| request.start.clone(), |found| found.root.clone()), repository)
}

fn local(request: &Request, loaded: &mut LoadedFiles) {
    if !request.sources.local {
        return;
    }
    let (root, repository) = local_root(request);
    let mut folders = vec![(root.as_path(), request.trust.this_folder_trusted, false)];
    for folder in request.nested.iter().filter(|folder| folder.directory != root) {
        folders.push((&folder.directory, folder.is_trusted, true));
    }
    for (folder, is_trusted, is_nested) in folders {
        let path = Path::new(&*request.profile.directory).join("settings.local.json");
        let before = loaded.layers.len();
        add(Source::Local, &folder.join(&path), folder, &mut loaded.layers);
        let is_users = || repository.is_none() && is_in_user_directory(request, folder);
        let is_untrusted = loaded.layers.len() > before
            && !is_trusted
            && !is_users()
            // A model can write such a file into any folder, and change to it.
            && (is_nested || may_come_with_folder(folder, &path, repository.as_ref()));
        loaded.layers.iter_mut().skip(before).for_each(|layer| layer.is_untrusted = is_untrusted);
    }
}

/// Returns whether a local settings file may have come with its folder, trusted or not: what it declares is then no more
/// the user's own than the project's file is.
pub(crate) fn local_may_come_with_folder(request: &Request, layer: &Layer) -> bool {
    let (root, repository) = local_root(request);
    let path = Path::new(&*request.profile.directory).join("settings.local.json");
    let is_users = || repository.is_none() && is_in_user_directory(request, &root);
    layer.anchor != root || (!is_users() && may_come_with_folder(&root, &path, repository.as_ref()))
}

/// Returns whether the project's directory of settings is the user's, as in a session that starts in the home
/// directory.
fn is_in_user_directory(request: &Request, root: &Path) -> bool {
    let own = root.join(&*request.profile.directory);
    // A link to the user's directory may have come with the folder.
    user_directory(request)
        .is_some_and(|users| users == own || (!own.is_symlink() && is_same_path(&users, &own)))
}

fn flag(request: &Request, layers: &mut Vec<Layer>) {
    let (file, text) = match &request.flag {
        None => return,
        Some(FlagSettings::Text(text)) if text.len() as u64 > MAX_FILE => {
            (Path::new(FLAG_TEXT), Err(ReadError::TooLarge))
        }
        Some(FlagSettings::Text(text)) => (Path::new(FLAG_TEXT), Ok(text.as_str().into())),
        Some(FlagSettings::File(file)) => {
            let missing = || ReadError::Refused { why: "there is no such file".to_owned() };
            let text = read::text(file).and_then(|text| text.ok_or_else(missing));
            (file.as_path(), text.map(Into::into))
        }
    };
    layers.push(layer(Source::Flag, file, &request.start, text));
}

impl Layer {
    /// Creates the settings for an argument of the command line.
    pub(crate) fn of_argument(argument: &str, anchor: &Path, text: &str) -> Self {
        layer(Source::Flag, Path::new(&format!("<{argument}>")), anchor, Ok(text.into()))
    }

    /// Creates a settings file that is not on disk, or not yet.
    pub(crate) fn unwritten(source: Source, file: &Path, anchor: &Path) -> Self {
        layer(source, file, anchor, Ok("{}".into()))
    }

    /// Returns the same file, in a folder that is trusted or not (G3).
    pub(crate) fn in_folder(self, is_trusted: bool) -> Self {
        Layer { is_untrusted: !is_trusted, ..self }
    }
}

fn layer(source: Source, file: &Path, anchor: &Path, text: Result<Arc<str>, ReadError>) -> Layer {
    Layer {
        source,
        file: file.into(),
        text,
        kind: LayerKind::Settings,
        anchor: anchor.to_owned(),
        root: None,
        nth: 0,
        is_untrusted: false,
        entry: None,
    }
}

/// Adds a settings file, if there is one.
fn add(source: Source, file: &Path, anchor: &Path, layers: &mut Vec<Layer>) {
    let text = match read::text(file) {
        Ok(None) => return,
        Ok(Some(text)) => Ok(text.into()),
        Err(error) => Err(error),
    };
    layers.push(layer(source, file, anchor, text));
}
