//! The directories that patterns start from, each by its name and by its real path.

use std::path::Path;

use super::links::Links;
use super::normal::Normal;

/// The directories that paths are relative to: those of the call and of the rule.
pub(crate) struct Places<'a> {
    pub(crate) cwd: &'a Path,
    pub(crate) home: Option<&'a Path>,
    pub(crate) settings: &'a Path,
    pub(crate) links: &'a dyn Links,
}

impl Places<'_> {
    pub(crate) fn root(&self) -> Normal {
        Normal::of(Path::new("/"))
    }

    pub(crate) fn home(&self) -> Vec<Normal> {
        self.home.map(|home| self.both(home)).unwrap_or_default()
    }

    pub(crate) fn settings(&self) -> Vec<Normal> {
        self.both(self.settings)
    }

    pub(crate) fn cwd(&self) -> Vec<Normal> {
        self.both(self.cwd)
    }

    /// Returns a directory and its real path.
    pub(crate) fn both(&self, path: &Path) -> Vec<Normal> {
        let mut names = vec![Normal::of(path)];
        names.extend(
            self.links.target(path).map(|target| Normal::of(&target)).filter(|real| *real != names[0]),
        );
        names
    }
}
