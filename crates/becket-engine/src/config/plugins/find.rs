//! Finds the directory of a plugin that is on by its id (C9).
//!
//! A marketplace that is a directory is used in place; then the record of an installation counts, then the plugins in a
//! fetched marketplace, then the cache.
//!
//! INVARIANT: for a plugin that a managed file turns on, no marketplace counts that another settings file declares: no
//! other file puts its own code under a forced id (G2). For a plugin that the user turns on, the marketplaces of the
//! project come last: a repository can't replace a guard of the user with its own code. Records in a directory of plugins
//! that is a part of the project are the project's, whatever variables say.

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
    /// The records of a directory of plugins that counts for nothing.
    nothing: InstalledPlugins,
    /// Set if this very folder is trusted (G3).
    is_trusted: bool,
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
        Finder {
            declared,
            installed,
            nothing: InstalledPlugins::default(),
            is_trusted: request.trust.this_folder_trusted,
            projects: projects.collect(),
        }
    }

    /// Returns the directory of a plugin, or the reason why there is none.
    pub(super) fn find(&self, id: &str, switch: &Switch) -> Result<PluginLocation, NotFound> {
        let Some((name, marketplace)) = id.rsplit_once('@').filter(|(name, market)| {
            !name.is_empty() && !market.is_empty() && !id.contains(['/', '\\']) && !id.contains("..")
        }) else {
            return Err(NotFound::Wrong("an id has the form `plugin@marketplace`".to_owned()));
        };
        let mut misses = Misses(None);
        let installed = self.installed_for(switch);
        let own = self.in_place(marketplace, switch, installed);
        let found = misses
            .first(own, name)
            .or_else(|| self.by_record(id, name, marketplace, installed))
            .or_else(|| misses.first(fetched(marketplace, installed), name))
            .or_else(|| in_cache(name, marketplace, installed))
            // A repository must not replace what the user has installed with its own code.
            .or_else(|| misses.first(self.of_project(id, switch, installed), name));
        found.ok_or_else(|| match misses.0 {
            Some(error @ MarketplaceError::Fetched { .. }) => NotFound::NotInstalled(error.to_string()),
            Some(error) => NotFound::Wrong(error.to_string()),
            None => self.not_found(id, name, marketplace, installed),
        })
    }

    /// Returns the records for a plugin. Those in the project are its own: they count for nothing that managed settings
    /// enable (G2), and for nothing at all until the folder is trusted (G3).
    fn installed_for(&self, switch: &Switch) -> &InstalledPlugins {
        let counts = !self.installed.is_of_project || (self.is_trusted && !switch.is_managed);
        if counts { self.installed } else { &self.nothing }
    }

    /// Returns the reason why a plugin is not found that no marketplace lists.
    fn not_found(&self, id: &str, name: &str, marketplace: &str, installed: &InstalledPlugins) -> NotFound {
        if let Some(root) = self.installed.root.as_ref().filter(|_| installed.root.is_none()) {
            let root = root.display();
            return NotFound::NotInstalled(format!(
                "the directory of plugins, `{root}`, is a part of this project"
            ));
        }
        let here = installed.installs(id, &self.projects);
        if let Some(gone) = here.first() {
            let place =
                gone.directory.as_ref().map_or_else(String::new, |gone| format!(" `{}`", gone.display()));
            return NotFound::NotInstalled(format!("the directory of its installation{place} is not there"));
        }
        if installed.is_recorded(id) {
            return NotFound::NotInstalled("it is installed for other projects".to_owned());
        }
        if installed.cached(marketplace, name).len() > 1 {
            let why = "the cache has several versions of it, and no record says which counts";
            return NotFound::Wrong(why.to_owned());
        }
        NotFound::NotInstalled(format!("it is not installed, and no marketplace `{marketplace}` is known"))
    }

    /// Returns the marketplaces of that name that are used in place, in the order in which they count.
    fn in_place(&self, marketplace: &str, switch: &Switch, installed: &InstalledPlugins) -> Vec<PathBuf> {
        let known = installed.marketplace(marketplace).filter(|known| known.in_place);
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
    fn of_project(&self, id: &str, switch: &Switch, installed: &InstalledPlugins) -> Vec<PathBuf> {
        let Some((name, marketplace)) = id.rsplit_once('@') else { return Vec::new() };
        let is_known = installed.is_recorded(id) || !installed.cached(marketplace, name).is_empty();
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

    /// Returns the directory that a record of an installation names, or the version in the cache that it refers to; a
    /// record that leads nowhere hides no other.
    fn by_record(
        &self,
        id: &str,
        name: &str,
        marketplace: &str,
        installed: &InstalledPlugins,
    ) -> Option<PluginLocation> {
        let directory = installed.installs(id, &self.projects).into_iter().find_map(|install| {
            let cached = || installed.cache(marketplace, name).zip(install.version.as_deref());
            let cached =
                cached().and_then(|(cache, version)| Some(cache.join(super::path::relative(version).ok()?)));
            install.directory.clone().into_iter().chain(cached).find(|path| path.is_dir())
        })?;
        Some(alone(&directory, marketplace, installed))
    }
}

/// Returns the marketplace that was fetched under that name.
fn fetched(marketplace: &str, installed: &InstalledPlugins) -> Vec<PathBuf> {
    let known = installed.marketplace(marketplace).filter(|known| !known.in_place);
    known.into_iter().map(|known| known.root).collect()
}

/// Returns the only version of a plugin in the cache.
fn in_cache(name: &str, marketplace: &str, installed: &InstalledPlugins) -> Option<PluginLocation> {
    match installed.cached(marketplace, name).as_slice() {
        [version] => Some(alone(version, marketplace, installed)),
        _ => None,
    }
}

/// Returns the location of a plugin that was copied out of its marketplace.
fn alone(directory: &Path, marketplace: &str, installed: &InstalledPlugins) -> PluginLocation {
    let marketplace = installed.marketplace(marketplace).map(|known| known.root);
    PluginLocation { directory: directory.to_owned(), boundary: directory.to_owned(), marketplace }
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
