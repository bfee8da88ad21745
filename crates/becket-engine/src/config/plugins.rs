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
use becket_model::Source;
use declared::{PluginDeclarations, Switch};
use fault::Spot;
use find::{Finder, NO_MARKETPLACE, NotFound};
use installed::InstalledPlugins;
use manifest::Manifest;
use std::path::PathBuf;
use std::sync::Arc;

/// The marketplace in the ids of plugins that are named by their directory.
pub(crate) const INLINE: &str = "inline";

/// The marketplace in the ids of plugins that are in a directory of skills.
const SKILLS_DIRECTORY: &str = "skills-dir";

/// Reads the plugins that the request names and those that settings turn on. `flagged` are the settings of the command
/// line, which come after the plugins in the order of layers.
pub(super) fn load(loaded: &mut LoadedFiles, flagged: &[Layer]) {
    let mut declared = PluginDeclarations::read(loaded.layers.iter().chain(flagged), loaded);
    loaded.plugin_faults.append(&mut declared.faults);
    let request = loaded.request.clone();
    let mut candidates: Vec<Candidate> = request.plugins.iter().cloned().map(Candidate::new).collect();
    candidates.extend(installed(&request, &declared, loaded));
    let mut of_skills = skills_directory::candidates(&request, &mut loaded.plugin_faults);
    of_skills.retain(|candidate| candidates.iter().all(|other| other.plugin.id != candidate.plugin.id));
    loaded.plugin_faults.extend(missing_in_skills(&declared, &of_skills));
    candidates.extend(of_skills);
    let mut plugins: Vec<Candidate> = Vec::new();
    for mut candidate in candidates {
        candidate.name();
        if candidate.is_on(&declared, &mut loaded.plugin_faults) {
            candidate.equip(&request, &declared);
            candidate.shares_its_name(&plugins, &mut loaded.plugin_faults);
            plugins.push(candidate);
        }
    }
    for (nth, candidate) in (0_u16..).zip(&plugins) {
        contents::load(candidate, nth, loaded);
    }
    loaded.plugins = plugins.into_iter().map(|candidate| candidate.plugin).collect();
}

/// Returns the directory in which the user's plugins are kept.
pub(crate) fn directory(request: &Request) -> Option<PathBuf> {
    let variable = request.profile.session_var("PLUGIN_CACHE_DIR");
    let moved = request.environment.var(variable).filter(|value| !value.is_empty());
    match moved {
        Some(directory) => {
            let written = directory.to_string_lossy();
            Some(path::directory(&written, &request.start, request.environment.home()))
        }
        None => Some(user_directory(request)?.join("plugins")),
    }
}

/// Returns the plugins that settings turn on, in the order of their ids.
fn installed(request: &Request, declared: &PluginDeclarations, loaded: &mut LoadedFiles) -> Vec<Candidate> {
    let is_named = |id: &str| request.plugins.iter().any(|plugin| *plugin.id == *id);
    let enabled: Vec<(&String, &Switch)> =
        declared.switches.iter().filter(|(id, switch)| switch.on && !is_named(id)).collect();
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
                found.push(Candidate { plugin, boundary: place.boundary, manifest: Manifest::default() });
            }
            Err(NotFound::NotInstalled(_)) if request.tolerates_missing_plugins => {}
            Err(why) => loaded.plugin_faults.push(missing(id, switch, &why.to_string())),
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
}

impl Candidate {
    fn new(plugin: Plugin) -> Self {
        let boundary = plugin.directory.clone();
        Candidate { plugin, boundary, manifest: Manifest::default() }
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
    fn is_on(&self, declared: &PluginDeclarations, faults: &mut Vec<Fault>) -> bool {
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
        let managed = declared.switches.iter().find(|(id, switch)| {
            switch.is_managed && id.rsplit_once('@').is_some_and(|(name, _)| *name == *self.plugin.name)
        });
        match managed {
            Some((id, switch)) if self.is_by_directory() => {
                let message = format!(
                    "the plugin in `{}` is not loaded: managed settings decide about `{id}`, which has its name",
                    self.plugin.directory.display()
                );
                faults.push(Fault::error(switch.at.clone(), "plugin-locked", message).rule("G2"));
                false
            }
            Some(_) | None => true,
        }
    }

    /// Returns whether it was found by its directory, so that it shares no more than its name with an installed one.
    fn is_by_directory(&self) -> bool {
        matches!(self.plugin.origin, PluginOrigin::Directory | PluginOrigin::SkillsDirectory { .. })
    }

    /// Sets its data directory and its options: the user's, or else the defaults of the manifest.
    fn equip(&mut self, request: &Request, declared: &PluginDeclarations) {
        if self.plugin.data.is_none() {
            let data = directory(request).map(|plugins| plugins.join("data"));
            self.plugin.data = data.map(|data| data.join(sanitised(&self.plugin.id)));
        }
        let set = declared.options.get(&*self.plugin.id);
        let defaults =
            self.manifest.options.iter().filter_map(|(key, option)| Some((key, option.default.as_ref()?)));
        let mut values: std::collections::BTreeMap<&String, &String> = defaults.collect();
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
