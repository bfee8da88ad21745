//! The listing of a marketplace, `.claude-plugin/marketplace.json`: the places of the plugins inside it (C9).

use super::path::{self, PathError};
use crate::config::source::json::{self, Document};
use crate::config::source::read;
use crate::config::source::tree::Node;
use std::path::{Path, PathBuf};

/// The path of the list of plugins in a marketplace.
const LISTING: &str = ".claude-plugin/marketplace.json";

/// The reason why a marketplace provides no plugin of a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum MarketplaceError {
    #[error("there is no `{}`", file.display())]
    NoListing { file: PathBuf },
    #[error("`{}` can't be read: {why}", file.display())]
    Unreadable { file: PathBuf, why: String },
    #[error("`{}` lists no plugin of that name", file.display())]
    NotListed { file: PathBuf },
    #[error("`{}` says that it is fetched from elsewhere, and it is not installed", file.display())]
    Fetched { file: PathBuf },
    #[error("its path in `{}`, `{path}`, {why}", file.display())]
    Path { file: PathBuf, path: String, why: PathError },
    #[error("there is no directory `{}`", directory.display())]
    NoDirectory { directory: PathBuf },
}

/// A listing that was read.
pub(super) struct Listing<'a> {
    root: &'a Path,
    file: PathBuf,
    document: Document,
}

impl<'a> Listing<'a> {
    /// Reads the listing of the marketplace in `root`.
    pub(super) fn read(root: &'a Path) -> Result<Self, MarketplaceError> {
        let file = root.join(LISTING);
        let unreadable = |why: String| MarketplaceError::Unreadable { file: file.clone(), why };
        let text = match read::text(&file).map_err(|error| unreadable(error.to_string()))? {
            Some(text) => text,
            None => return Err(MarketplaceError::NoListing { file }),
        };
        let document = json::parse(&text).map_err(|error| unreadable(format!("it is not JSON: {error}")))?;
        Ok(Listing { root, file, document })
    }

    /// Returns the directory of a plugin that is inside the marketplace.
    pub(super) fn directory(&self, name: &str) -> Result<PathBuf, MarketplaceError> {
        let file = || self.file.clone();
        let entry =
            entry(&self.document.root, name).ok_or_else(|| MarketplaceError::NotListed { file: file() })?;
        let source = entry.get("source").and_then(|source| source.value.as_text());
        let path = source.ok_or_else(|| MarketplaceError::Fetched { file: file() })?;
        let refused = |why| MarketplaceError::Path { file: file(), path: path.to_owned(), why };
        let mut below = path::relative(path).map_err(refused)?;
        if !path.contains('/') && path != "." {
            below = self.plugin_root().map_err(refused)?.join(below);
        }
        let directory: PathBuf = self.root.join(below).components().collect();
        path::no_way_out(&directory, self.root).map_err(refused)?;
        if directory.is_dir() { Ok(directory) } else { Err(MarketplaceError::NoDirectory { directory }) }
    }

    /// Returns the directory that bare names start from.
    fn plugin_root(&self) -> Result<PathBuf, PathError> {
        let metadata = self.document.root.get("metadata").map(|metadata| &metadata.value);
        let written = metadata.and_then(|metadata| metadata.get("pluginRoot")?.value.as_text());
        path::relative(written.unwrap_or("."))
    }
}

/// Returns the file of a marketplace's listing.
pub(super) fn listing(root: &Path) -> PathBuf {
    root.join(LISTING)
}

/// Returns the entry of a plugin in a listing.
pub(crate) fn entry<'n>(listing: &'n Node, name: &str) -> Option<&'n Node> {
    let entries = listing.get("plugins")?.value.as_list()?;
    let is_called = |entry: &&Node| entry.get("name").and_then(|name| name.value.as_text()) == Some(name);
    entries.iter().find(is_called)
}
