//! The records of the program that installs plugins: `installed_plugins.json` and `known_marketplaces.json` (C9).
//!
//! Both belong to the user, unless their directory is a part of the project. They record what was fetched and its place,
//! never whether it is on.

use super::fault::{Fault, Spot};
use super::{PluginStore, path};
use crate::config::request::Request;
use crate::config::source::json::{self, Document};
use crate::config::source::read;
use crate::config::source::tree::{Data, Node};
use becket_model::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The installed plugins, from the records.
#[derive(Debug, Default)]
pub(super) struct InstalledPlugins {
    /// The directory of plugins; `None` without a home.
    pub(super) root: Option<PathBuf>,
    /// Set if that directory is a part of the project, so that all of this may have come with the folder (G3).
    pub(super) is_of_project: bool,
    installs: BTreeMap<String, Vec<Install>>,
    marketplaces: BTreeMap<String, KnownMarketplace>,
    pub(super) faults: Vec<Fault>,
}

/// One installation of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Install {
    scope: InstallScope,
    /// Its directory, if the record names one.
    pub(super) directory: Option<PathBuf>,
    pub(super) version: Option<String>,
}

/// The scope in which an installation counts, the most specific last.
#[derive(Debug, Clone, PartialEq, Eq)]
enum InstallScope {
    /// On the whole machine, or for the user.
    Everywhere,
    /// For the project in that directory.
    Project(PathBuf),
    /// For one person in the project in that directory.
    Local(PathBuf),
}

/// A marketplace that was fetched or added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownMarketplace {
    pub(super) root: PathBuf,
    /// Set if its plugins are used in place.
    pub(super) in_place: bool,
}

impl InstalledPlugins {
    /// Reads the records below the user's directory of plugins.
    pub(super) fn read(request: &Request) -> Self {
        let Some(PluginStore { root, is_of_project }) = PluginStore::of(request) else {
            return InstalledPlugins::default();
        };
        let mut installed =
            InstalledPlugins { root: Some(root.clone()), is_of_project, ..InstalledPlugins::default() };
        if let Some(document) = installed.document(&root.join("installed_plugins.json")) {
            let home = request.environment.home();
            installed.installs = installs(&document.root, &root, home);
        }
        if let Some(document) = installed.document(&root.join("known_marketplaces.json")) {
            installed.marketplaces = marketplaces(&document.root, &root, request.environment.home());
        }
        installed
    }

    /// Returns the installations of a plugin for a session in one of `projects`, the most specific first, and of equal ones
    /// the last.
    pub(super) fn installs(&self, id: &str, projects: &[PathBuf]) -> Vec<&Install> {
        let here =
            |directory: &Path| projects.iter().any(|project| becket_base::is_same_path(project, directory));
        let rank = |install: &Install| match &install.scope {
            InstallScope::Everywhere => Some(0_u8),
            InstallScope::Project(directory) => here(directory).then_some(1),
            InstallScope::Local(directory) => here(directory).then_some(2),
        };
        let installs = self.installs.get(id).map(Vec::as_slice).unwrap_or_default().iter().rev();
        let mut counting: Vec<_> = installs.filter_map(|install| Some((rank(install)?, install))).collect();
        counting.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        counting.into_iter().map(|(_, install)| install).collect()
    }

    /// Returns whether the plugin has a record, for this project or another one.
    pub(super) fn is_recorded(&self, id: &str) -> bool {
        self.installs.contains_key(id)
    }

    /// Returns a marketplace by its name: at the place in the records, or where it is fetched to.
    pub(super) fn marketplace(&self, name: &str) -> Option<KnownMarketplace> {
        if let Some(known) = self.marketplaces.get(name) {
            return Some(known.clone());
        }
        let root = self.root.as_ref()?.join("marketplaces").join(path::relative(name).ok()?);
        root.is_dir().then_some(KnownMarketplace { root, in_place: false })
    }

    /// Returns the versions of a plugin in the cache that are in use.
    pub(super) fn cached(&self, marketplace: &str, plugin: &str) -> Vec<PathBuf> {
        let below = self.cache(marketplace, plugin);
        let Some(entries) = below.and_then(|below| std::fs::read_dir(below).ok()) else {
            return Vec::new();
        };
        let mut versions: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_dir() && !path.join(".orphaned_at").exists())
            .collect();
        versions.sort();
        versions
    }

    /// Returns the directory of all versions of a plugin in the cache.
    pub(super) fn cache(&self, marketplace: &str, plugin: &str) -> Option<PathBuf> {
        let (marketplace, plugin) = (path::relative(marketplace).ok()?, path::relative(plugin).ok()?);
        Some(self.root.as_ref()?.join("cache").join(marketplace).join(plugin))
    }

    /// Reads a record; an error in it is a fault, and the record counts as empty then.
    fn document(&mut self, file: &Path) -> Option<Document> {
        let text = match read::text(file) {
            Ok(text) => text?,
            Err(error) => {
                let message = format!("this file can't be read, so no plugin is found by it: {error}");
                let at = Spot::whole(Source::User, file);
                self.faults.push(Fault::error(at, "unreadable-file", message));
                return None;
            }
        };
        json::parse(&text)
            .map_err(|error| {
                let message = format!("this file is not JSON, so no plugin is found by it: {}", error.why);
                let at =
                    Spot { text: text.as_str().into(), span: error.at, ..Spot::whole(Source::User, file) };
                self.faults.push(Fault::error(at, "not-json", message));
            })
            .ok()
    }
}

/// Reads both formats: in version 1 each id has one record, in version 2 a list of them.
fn installs(root: &Node, plugins: &Path, home: Option<&Path>) -> BTreeMap<String, Vec<Install>> {
    let members = root.get("plugins").map_or(root, |member| &member.value).as_map().unwrap_or_default();
    let records = members.iter().map(|member| {
        let nodes = match &member.value.data {
            Data::List(nodes) => nodes.iter().collect(),
            Data::Map(_) => vec![&member.value],
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => Vec::new(),
        };
        let installs = nodes.into_iter().filter_map(|node| install(node, plugins, home)).collect();
        (member.key.clone(), installs)
    });
    records.collect()
}

fn install(node: &Node, plugins: &Path, home: Option<&Path>) -> Option<Install> {
    node.as_map()?;
    let project = || text(node, "projectPath").map(|path| path::directory(path, plugins, home));
    let scope = match (text(node, "scope"), project()) {
        (Some("project"), Some(project)) => InstallScope::Project(project),
        (Some("local"), Some(project)) => InstallScope::Local(project),
        (Some("project" | "local"), None) => return None,
        _ => InstallScope::Everywhere,
    };
    let directory = text(node, "installPath").map(|path| path::directory(path, plugins, home));
    Some(Install { scope, directory, version: text(node, "version").map(str::to_owned) })
}

fn marketplaces(root: &Node, plugins: &Path, home: Option<&Path>) -> BTreeMap<String, KnownMarketplace> {
    let members = root.as_map().unwrap_or_default().iter();
    let known = members.filter_map(|member| {
        let written = text(&member.value, "installLocation")?;
        let source = member.value.get("source").and_then(|source| text(&source.value, "source"));
        let place = path::directory(written, plugins, home);
        // The location of a marketplace that is a single file is that file.
        let root = if place.is_file() { place.ancestors().nth(2)?.to_owned() } else { place };
        let in_place = matches!(source, Some("directory" | "file"));
        Some((member.key.clone(), KnownMarketplace { root, in_place }))
    });
    known.collect()
}

fn text<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.get(key)?.value.as_text()
}
