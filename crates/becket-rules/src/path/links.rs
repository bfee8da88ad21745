//! The real target of a path: the only query to the file system, made through a trait.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A resolver of links (P8).
pub trait Links {
    /// Returns the path with every link in it followed, including those of its parents, if that is another path; `None`
    /// if `path` leads to itself, or is unknown. For a file that does not exist yet, its nearest existing parent
    /// counts. `path` is absolute; it may contain `..`, which is to be read as the file system reads it.
    fn target(&self, path: &Path) -> Option<PathBuf>;
}

/// A resolver for tests and for hosts without a file system: no path is a link.
impl Links for () {
    fn target(&self, _: &Path) -> Option<PathBuf> {
        None
    }
}

/// A resolver for which no path is a link.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLinks;

impl Links for NoLinks {
    fn target(&self, _: &Path) -> Option<PathBuf> {
        None
    }
}

impl Links for HashMap<PathBuf, PathBuf> {
    fn target(&self, path: &Path) -> Option<PathBuf> {
        self.get(path).filter(|target| target.as_path() != path).cloned()
    }
}

/// Links whose first result is kept.
pub(crate) struct LinkCache<'a> {
    links: &'a dyn Links,
    found: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
}

impl<'a> LinkCache<'a> {
    pub(crate) fn new(links: &'a dyn Links) -> Self {
        Self { links, found: RefCell::default() }
    }
}

impl Links for LinkCache<'_> {
    fn target(&self, path: &Path) -> Option<PathBuf> {
        if let Some(found) = self.found.borrow().get(path) {
            return found.clone();
        }
        let target = self.links.target(path);
        self.found.borrow_mut().insert(path.to_owned(), target.clone());
        target
    }
}
