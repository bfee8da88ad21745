//! The real target of a path: the only question to the file system, asked through a trait.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Says where links lead (P8).
pub trait Links {
    /// The path with every link in it followed, its parents' too, if that is another path; `None` if `path` leads to
    /// itself, or if nothing is known of it. Of a file that does not exist yet the nearest parent that does counts.
    /// `path` is absolute; it may hold `..`, which is to be read as the file system reads it.
    fn target(&self, path: &Path) -> Option<PathBuf>;
}

/// No path is a link, either: for tests and for hosts without a file system.
impl Links for () {
    fn target(&self, _: &Path) -> Option<PathBuf> {
        None
    }
}

/// No path is a link.
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

/// Links that stay as they were found first.
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
