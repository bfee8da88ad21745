//! Finds the directory of a plugin that is on by its id (C9).
//!
//! A marketplace that is a directory is used in place; then the record of an installation counts, then the plugins in a
//! fetched marketplace, then the cache.
//!
//! INVARIANT: for a plugin that a managed file turns on, no marketplace counts that another settings file declares: no
//! other file puts its own code under a forced id (G2). For a plugin that the user turns on, the marketplaces of the
//! project come last: a repository can't replace a guard of the user with its own code.

use super::declared::{Declarer, PluginDeclarations, Switch};
use super::installed::InstalledPlugins;
use super::marketplace::{Listing, MarketplaceError};
use crate::config::load::local_root;
use crate::config::request::Request;
use std::path::{Path, PathBuf};

/// Names that are not marketplaces: ids of plugins of other origins have them after their `@`.
pub(super) const NO_MARKETPLACE: [&str; 4] = ["inline", "builtin", "skills-dir", "synced"];

/// A plugin on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PluginLocation {
    pub(super) directory: PathBuf,
    /// The directory that none of its paths may leave: its marketplace if it is in one, else its own.
    pub(super) boundary: PathBuf,
    /// The marketplace whose listing may contain hooks of it.
    pub(super) marketplace: Option<PathBuf>,
}

/// The reason why there is no directory of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotFound {
    /// The plugin is elsewhere, and was not fetched onto this machine.
    #[error("{0}")]
    NotInstalled(String),
    /// Its id or its marketplace is wrong.
    #[error("{0}")]
    Wrong(String),
}

/// The places that are searched for plugins.
pub(super) struct Finder<'a> {
    declared: &'a PluginDeclarations,
    installed: &'a InstalledPlugins,
    /// The directories of the project that the session is in.
    projects: Vec<PathBuf>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        request: &Request,
        declared: &'a PluginDeclarations,
        installed: &'a InstalledPlugins,
    ) -> Self {
        let nested = request.nested.iter().map(|folder| folder.directory.clone());
        let projects = [request.start.clone(), local_root(request).0].into_iter().chain(nested);
        Finder { declared, installed, projects: projects.collect() }
    }

    /// Returns the directory of a plugin, or the reason why there is none.
    pub(super) fn find(&self, id: &str, switch: &Switch) -> Result<PluginLocation, NotFound> {
        let Some((name, marketplace)) = id.rsplit_once('@').filter(|(name, market)| {
            !name.is_empty() && !market.is_empty() && !id.contains(['/', '\\']) && !id.contains("..")
        }) else {
            return Err(NotFound::Wrong("an id has the form `plugin@marketplace`".to_owned()));
        };
        let mut misses = Misses(None);
        let own = self.in_place(marketplace, switch);
        let found = misses
            .first(own, name)
            .or_else(|| self.by_record(id, name, marketplace))
            .or_else(|| misses.first(self.fetched(marketplace), name))
            .or_else(|| self.in_cache(name, marketplace))
            // A repository must not replace what the user has installed with its own code.
            .or_else(|| misses.first(self.of_project(id, switch), name));
        found.ok_or_else(|| match misses.0 {
            Some(error @ MarketplaceError::Fetched { .. }) => NotFound::NotInstalled(error.to_string()),
            Some(error) => NotFound::Wrong(error.to_string()),
            None if self.installed.is_elsewhere(id) => {
                NotFound::NotInstalled("it is installed for other projects".to_owned())
            }
            None if self.installed.cached(marketplace, name).len() > 1 => NotFound::Wrong(
                "the cache has several versions of it, and no record says which counts".to_owned(),
            ),
            None => NotFound::NotInstalled(format!(
                "it is not installed, and no marketplace `{marketplace}` is known"
            )),
        })
    }

    /// Returns the marketplaces of that name that are used in place, in the order in which they count.
    fn in_place(&self, marketplace: &str, switch: &Switch) -> Vec<PathBuf> {
        let known = self.installed.marketplace(marketplace).filter(|known| known.in_place);
        let known = known.map(|known| known.root);
        if switch.is_managed {
            let managed = self.declared(marketplace, |by| by == Declarer::Policy);
            return managed.into_iter().chain(known).collect();
        }
        let own = self.declared(marketplace, |by| by != Declarer::Project);
        let of_project = match switch.wanted_by_owner {
            true => Vec::new(),
            false => self.declared(marketplace, |by| by == Declarer::Project),
        };
        of_project.into_iter().chain(own).chain(known).collect()
    }

    /// Returns the project's marketplaces for a plugin that the user wants; none if the user has installed it in any
    /// way.
    fn of_project(&self, id: &str, switch: &Switch) -> Vec<PathBuf> {
        let Some((name, marketplace)) = id.rsplit_once('@') else { return Vec::new() };
        let is_known =
            self.installed.is_elsewhere(id) || !self.installed.cached(marketplace, name).is_empty();
        match switch.is_managed || is_known {
            true => Vec::new(),
            false => self.declared(marketplace, |by| by == Declarer::Project),
        }
    }

    /// Returns the marketplaces of that name that settings declare, those of the most trusted file first.
    fn declared(&self, marketplace: &str, wanted: impl Fn(Declarer) -> bool) -> Vec<PathBuf> {
        let of_its_name = self.declared.marketplaces.iter();
        let mut found: Vec<_> =
            of_its_name.filter(|declared| declared.name == marketplace && wanted(declared.by)).collect();
        // Among the files of one declarer the last counts.
        found.reverse();
        found.sort_by_key(|declared| declared.by);
        found.into_iter().map(|declared| declared.root.clone()).collect()
    }

    /// Returns the marketplace that was fetched under that name.
    fn fetched(&self, marketplace: &str) -> Vec<PathBuf> {
        let known = self.installed.marketplace(marketplace).filter(|known| !known.in_place);
        known.into_iter().map(|known| known.root).collect()
    }

    /// Returns the only version of a plugin in the cache.
    fn in_cache(&self, name: &str, marketplace: &str) -> Option<PluginLocation> {
        match self.installed.cached(marketplace, name).as_slice() {
            [version] => Some(self.alone(version, marketplace)),
            _ => None,
        }
    }

    /// Returns the directory that a record of an installation names, or the version in the cache that it refers to.
    fn by_record(&self, id: &str, name: &str, marketplace: &str) -> Option<PluginLocation> {
        let install = self.installed.install(id, &self.projects)?;
        let cached = || self.installed.cache(marketplace, name).zip(install.version.as_deref());
        let cached =
            cached().and_then(|(cache, version)| Some(cache.join(super::path::relative(version).ok()?)));
        let directory = install.directory.clone().into_iter().chain(cached).find(|path| path.is_dir())?;
        Some(self.alone(&directory, marketplace))
    }

    /// Returns the location of a plugin that was copied out of its marketplace.
    fn alone(&self, directory: &Path, marketplace: &str) -> PluginLocation {
        let marketplace = self.installed.marketplace(marketplace).map(|known| known.root);
        PluginLocation { directory: directory.to_owned(), boundary: directory.to_owned(), marketplace }
    }
}

/// The first reason why a plugin was not found in a marketplace.
struct Misses(Option<MarketplaceError>);

impl Misses {
    /// Returns the plugin in the first of the marketplaces that contains it.
    fn first(&mut self, roots: Vec<PathBuf>, name: &str) -> Option<PluginLocation> {
        for root in roots {
            match shipped(&root, name) {
                Ok(found) => return Some(found),
                Err(error) => {
                    self.0.get_or_insert(error);
                }
            }
        }
        None
    }
}

/// Returns the location of a plugin that is inside a marketplace.
fn shipped(root: &Path, name: &str) -> Result<PluginLocation, MarketplaceError> {
    let directory = Listing::read(root)?.directory(name)?;
    Ok(PluginLocation { directory, boundary: root.to_owned(), marketplace: Some(root.to_owned()) })
}
