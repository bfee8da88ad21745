//! Plugins: which of them are on, their directories and names, and the hooks in them (C9, C12).
//!
//! Three steps: the declarations in settings ([`declared`]), the place of a plugin ([`find`], by the records of
//! [`installed`] and the listings of [`marketplace`]), and its content ([`manifest`], [`contents`]). A plugin that is
//! on and can't be found is an error: its guards are missing.

mod contents;
mod declared;
mod definitions;
mod fault;
mod find;
mod installed;
mod kept;
mod manifest;
mod marketplace;
mod path;
mod skills_directory;

pub(crate) use contents::inline;
pub use definitions::PluginDefinitions;
pub(crate) use fault::Fault;
pub(crate) use marketplace::entry;

use super::load::{Layer, LoadedFiles, user_directory};
use super::request::{Plugin, PluginOption, PluginOrigin, Request};
use super::trust;
use becket_model::Source;
use declared::{PluginDeclarations, Switch};
use fault::Spot;
use find::{Finder, NO_MARKETPLACE, NotFound};
use installed::InstalledPlugins;
use kept::{KeptPlugins, PluginReading};
use manifest::Manifest;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The marketplace in the ids of plugins that are named by their directory.
pub(crate) const INLINE: &str = "inline";

/// The marketplace in the ids of plugins that are in a directory of skills.
const SKILLS_DIRECTORY: &str = "skills-dir";

/// Reads the plugins that the request names and those that settings turn on. `flagged` are the settings of the command
/// line, which come after the plugins in the order of layers. Plugins of the configuration `before` stay as they were
/// read (C8).
pub(super) fn load(loaded: &mut LoadedFiles, flagged: &[Layer], before: Option<&LoadedFiles>) {
    let mut declared = PluginDeclarations::read(loaded.layers.iter().chain(flagged), loaded);
    loaded.plugin_faults.append(&mut declared.faults);
    let request = loaded.request.clone();
    let kept = KeptPlugins(before);
    let mut candidates: Vec<Candidate> = request.plugins.iter().cloned().map(Candidate::new).collect();
    candidates.extend(installed(&request, &declared, kept, loaded));
    let of_skills = kept.of_skills();
    let mut of_skills =
        of_skills.unwrap_or_else(|| skills_directory::candidates(&request, &mut loaded.plugin_faults));
    of_skills.retain(|candidate| candidates.iter().all(|other| other.plugin.id != candidate.plugin.id));
    loaded.plugin_faults.extend(missing_in_skills(&declared, &of_skills));
    candidates.extend(of_skills);
    for candidate in &mut candidates {
        if !kept.restore(candidate) {
            candidate.name();
        }
    }
    let managed = managed_names(&candidates, &declared);
    let mut plugins: Vec<Candidate> = Vec::new();
    for mut candidate in candidates {
        if candidate.is_on(&declared, &managed, &mut loaded.plugin_faults) {
            candidate.equip(&request, &declared);
            candidate.shares_its_name(&plugins, &mut loaded.plugin_faults);
            plugins.push(candidate);
        }
    }
    for (nth, candidate) in (0_u16..).zip(&plugins) {
        match &candidate.kept {
            Some(reading) => reading.add(&candidate.plugin, nth, loaded),
            None => contents::load(candidate, nth, loaded),
        }
    }
    loaded.plugins = plugins.into_iter().map(|candidate| candidate.plugin).collect();
}

/// A plugin that is on, and whose content can't be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingPlugin {
    pub(crate) id: Arc<str>,
    /// The directory that it should be in, if that is known.
    pub(crate) directory: Option<PathBuf>,
}

impl MissingPlugin {
    /// Returns whether it is that plugin. One that is named by its directory may have lost its id with its manifest.
    pub(crate) fn is(&self, plugin: &Plugin) -> bool {
        self.id == plugin.id || self.directory.as_ref() == Some(&plugin.directory)
    }
}

/// The directory in which plugins are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PluginStore {
    pub(super) root: PathBuf,
    /// Set if it is a part of the project: its records and plugins may then have come with the folder (G3).
    pub(super) is_of_project: bool,
}

impl PluginStore {
    /// Returns the directory that the user's settings and variables name; `None` if there is no home.
    pub(super) fn of(request: &Request) -> Option<Self> {
        let variable = request.profile.session_var("PLUGIN_CACHE_DIR");
        let moved = request.environment.var(variable).filter(|value| !value.is_empty());
        if let Some(directory) = moved {
            let written = directory.to_string_lossy();
            let root = path::directory(&written, &request.start, request.environment.home());
            let is_of_project = trust::is_of_project(&root, request);
            return Some(PluginStore { root, is_of_project });
        }
        // A relative directory is one of the project.
        let root = request.start.join(user_directory(request)?).join("plugins");
        Some(PluginStore { root, is_of_project: request.users_directory_of_project().is_some() })
    }
}

/// Returns the plugins that managed settings turn on, by the names of their manifests.
fn managed_names(candidates: &[Candidate], declared: &PluginDeclarations) -> BTreeMap<Arc<str>, Arc<str>> {
    let is_managed =
        |id: &str| declared.switches.get(id).is_some_and(|switch| switch.on && switch.is_managed);
    let managed = candidates.iter().filter(|candidate| is_managed(&candidate.plugin.id));
    managed.map(|candidate| (candidate.plugin.name.clone(), candidate.plugin.id.clone())).collect()
}

/// Returns the plugins that settings turn on, those of the most trusted files first, and then in the order of their ids:
/// of things with the same name that of the first one counts.
fn installed(
    request: &Request,
    declared: &PluginDeclarations,
    kept: KeptPlugins<'_>,
    loaded: &mut LoadedFiles,
) -> Vec<Candidate> {
    let is_named = |id: &str| request.plugins.iter().any(|plugin| *plugin.id == *id);
    let mut enabled: Vec<(&String, &Switch)> =
        declared.switches.iter().filter(|(id, switch)| switch.on && !is_named(id)).collect();
    enabled.sort_by_key(|(_, switch)| (!switch.is_managed, !switch.wanted_by_owner));
    if enabled.is_empty() {
        return Vec::new();
    }
    let mut installed = InstalledPlugins::read(request);
    loaded.plugin_faults.append(&mut installed.faults);
    let finder = Finder::new(request, declared, &installed);
    let mut found = Vec::new();
    for (id, switch) in enabled {
        if let Some((_, origin)) = id.rsplit_once('@').filter(|(_, market)| NO_MARKETPLACE.contains(market)) {
            if origin != INLINE && origin != SKILLS_DIRECTORY {
                loaded.plugin_faults.push(elsewhere(id, switch));
            }
            continue;
        }
        match finder.find(id, switch) {
            Ok(place) => {
                let origin = PluginOrigin::Installed { by_project: !switch.wanted_by_owner };
                let marketplace = place.marketplace;
                let plugin = Plugin { origin, marketplace, ..Plugin::new(id.as_str(), place.directory) };
                let is_elsewhere =
                    |known: &Plugin| known.directory != plugin.directory && known.directory.is_dir();
                found.push(match kept.installed(id).filter(is_elsewhere) {
                    Some(known) => Candidate::new(Plugin { origin, ..known }),
                    None => Candidate { boundary: place.boundary, ..Candidate::new(plugin) },
                });
            }
            Err(NotFound::NotInstalled(_)) if request.tolerates_missing_plugins => {}
            Err(why) => match kept.installed(id) {
                Some(plugin) => found.push(Candidate::new(plugin)),
                None => {
                    loaded.plugin_faults.push(missing(id, switch, &why.to_string()));
                    loaded.missing_plugins.push(MissingPlugin { id: id.as_str().into(), directory: None });
                }
            },
        }
    }
    found
}

fn missing(id: &str, switch: &Switch, why: &str) -> Fault {
    let message = format!("the plugin `{id}` is on and can't be found, so its hooks are missing: {why}");
    Fault::error(switch.at.clone(), "missing-plugin", message)
        .help("install it again, correct its marketplace, or set it to false")
}

fn elsewhere(id: &str, switch: &Switch) -> Fault {
    let message =
        format!("the plugin `{id}` is on and is of a kind that is not loaded here, so its hooks are missing");
    Fault::error(switch.at.clone(), "missing-plugin", message)
        .help("name its directory with `--plugin-dir`, or set it to false")
}

/// Returns the faults of plugins that settings turn on in a directory of skills that has no plugin of that id.
fn missing_in_skills(declared: &PluginDeclarations, found: &[Candidate]) -> Vec<Fault> {
    let of_skills = |id: &str| id.rsplit_once('@').is_some_and(|(_, origin)| origin == SKILLS_DIRECTORY);
    let is_missing = |id: &str| found.iter().all(|candidate| *candidate.plugin.id != *id);
    let missing_ids =
        declared.switches.iter().filter(|(id, switch)| switch.on && of_skills(id) && is_missing(id));
    missing_ids
        .map(|(id, switch)| missing(id, switch, "no directory of skills contains a plugin of this name"))
        .collect()
}

/// A plugin that is being loaded.
#[derive(Debug)]
struct Candidate {
    plugin: Plugin,
    /// The directory that none of its paths may leave.
    boundary: PathBuf,
    manifest: Manifest,
    /// Its texts as they were read before.
    kept: Option<PluginReading>,
}

impl Candidate {
    fn new(plugin: Plugin) -> Self {
        let boundary = plugin.directory.clone();
        Candidate { plugin, boundary, manifest: Manifest::default(), kept: None }
    }

    /// Reads the manifest and takes the plugin's name from it.
    fn name(&mut self) {
        self.manifest = Manifest::read(&self.plugin.directory, &self.boundary);
        if let Some(name) = &self.manifest.name {
            self.plugin.name = name.clone();
        }
        let origin = match self.plugin.origin {
            PluginOrigin::Directory => INLINE,
            PluginOrigin::SkillsDirectory { .. } => SKILLS_DIRECTORY,
            PluginOrigin::Host | PluginOrigin::Installed { .. } => return,
        };
        self.plugin.id = format!("{}@{origin}", self.plugin.name).into();
    }

    /// Returns whether it is on. A plugin that the command line names is turned off only by managed settings and by
    /// those of the command line (C5), and one that managed settings name replaces it (G2).
    fn is_on(
        &self,
        declared: &PluginDeclarations,
        managed: &BTreeMap<Arc<str>, Arc<str>>,
        faults: &mut Vec<Fault>,
    ) -> bool {
        let switch = declared.switches.get(&*self.plugin.id);
        let is_off = match self.plugin.origin {
            PluginOrigin::Host | PluginOrigin::Installed { .. } | PluginOrigin::SkillsDirectory { .. } => {
                switch.is_some_and(|switch| !switch.on)
            }
            PluginOrigin::Directory => switch.is_some_and(|switch| {
                !switch.on && matches!(switch.at.source, Source::Policy | Source::Flag)
            }),
        };
        if is_off {
            return false;
        }
        if !self.is_by_directory() {
            return true;
        }
        let by_id = declared.switches.iter().find(|(id, switch)| {
            switch.is_managed && id.rsplit_once('@').is_some_and(|(name, _)| *name == *self.plugin.name)
        });
        let by_name = || declared.switches.get_key_value(&**managed.get(&self.plugin.name)?);
        let Some((id, switch)) = by_id.or_else(by_name) else { return true };
        let message = format!(
            "the plugin in `{}` is not loaded: managed settings decide about `{id}`, which has its name",
            self.plugin.directory.display()
        );
        faults.push(Fault::error(switch.at.clone(), "plugin-locked", message).rule("G2"));
        false
    }

    /// Returns whether it was found by its directory, so that it shares no more than its name with an installed one.
    fn is_by_directory(&self) -> bool {
        matches!(self.plugin.origin, PluginOrigin::Directory | PluginOrigin::SkillsDirectory { .. })
    }

    /// Sets its data directory and its options: the user's, or else the defaults of the manifest.
    fn equip(&mut self, request: &Request, declared: &PluginDeclarations) {
        if self.plugin.data.is_none() {
            let data = PluginStore::of(request).map(|store| store.root.join("data"));
            self.plugin.data = data.map(|data| data.join(sanitised(&self.plugin.id)));
        }
        let set = declared.options.get(&*self.plugin.id);
        let defaults =
            self.manifest.options.iter().filter_map(|(key, option)| Some((key, option.default.as_ref()?)));
        let mut values: BTreeMap<&String, &String> = defaults.collect();
        values.extend(set.into_iter().flatten());
        for (key, value) in values {
            if self.plugin.options.iter().any(|option| option.key == *key) {
                continue;
            }
            let is_sensitive = self.manifest.options.get(key).is_some_and(|option| option.is_sensitive);
            let (key, value) = (key.clone(), value.clone());
            self.plugin.options.push(PluginOption { key, value, is_sensitive });
        }
    }

    /// Warns if an earlier plugin has the same name: both are loaded, and of two things with one name the earlier one
    /// counts.
    fn shares_its_name(&self, before: &[Candidate], faults: &mut Vec<Fault>) {
        let first = before.iter().find(|other| other.plugin.name == self.plugin.name);
        let Some(first) = first.filter(|first| first.plugin.directory != self.plugin.directory) else {
            return;
        };
        let message = format!(
            "two plugins are called `{}`: the hooks of both run, and of things with the same name only that of `{}` counts",
            self.plugin.name, first.plugin.id
        );
        let at = Spot::whole(self.source(), &self.plugin.directory);
        faults.push(Fault::warning(at, "plugin-name-twice", message).help("turn one of them off"));
    }

    fn source(&self) -> Source {
        Source::Plugin(self.plugin.source())
    }
}

/// Returns the name of a plugin's data directory: characters other than letters, digits, `_` and `-` become `-`.
fn sanitised(id: &Arc<str>) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' }).collect()
}
