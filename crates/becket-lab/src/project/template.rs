//! The files of a project that its copies contain: all that git would not ignore, and its settings directory.

use super::ProjectError;
use ignore::WalkBuilder;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The maximum number of files of a copy.
const MOST_FILES: usize = 5_000;
/// The maximum number of bytes of a copy.
const MOST_BYTES: u64 = 64 << 20;

/// The files of a project, by their paths inside of it.
#[derive(Debug, Clone)]
pub struct ProjectTemplate {
    root: PathBuf,
    files: BTreeSet<PathBuf>,
}

impl ProjectTemplate {
    /// Lists the files of the project in `root`; `settings` is the name of its settings directory.
    ///
    /// # Errors
    /// Errors if there are too many.
    pub fn scan(root: &Path, settings: &str) -> Result<Self, ProjectError> {
        let mut template = ProjectTemplate { root: root.to_owned(), files: BTreeSet::new() };
        let mut whole = WalkBuilder::new(root);
        whole.hidden(false).git_global(false).require_git(false).follow_links(false);
        let mut own = WalkBuilder::new(root.join(settings));
        own.standard_filters(false).follow_links(false);
        let mut bytes = 0;
        for walk in [whole, own] {
            template.add(walk, &mut bytes)?;
        }
        Ok(template)
    }

    fn add(&mut self, mut walk: WalkBuilder, bytes: &mut u64) -> Result<(), ProjectError> {
        walk.filter_entry(|entry| entry.file_name() != ".git");
        // An entry that can't be listed can't be read by a hook either.
        for entry in walk.build().flatten() {
            let is_content = entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink());
            let Ok(inside) = entry.path().strip_prefix(&self.root) else { continue };
            if !is_content || !self.files.insert(inside.to_owned()) {
                continue;
            }
            *bytes += entry.metadata().map_or(0, |metadata| metadata.len());
            if self.files.len() > MOST_FILES || *bytes > MOST_BYTES {
                return Err(ProjectError::TooLarge { files: MOST_FILES, mebibytes: MOST_BYTES >> 20 });
            }
        }
        Ok(())
    }

    /// Returns the root of the project.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Copies the files, with their modes. A link that stays in the project remains one; the target of any other link
    /// is copied.
    pub(crate) fn copy_to(&self, root: &Path) -> Result<(), ProjectError> {
        fs::create_dir_all(root).map_err(|why| ProjectError::Copy { path: root.to_owned(), why })?;
        let mut made = BTreeSet::new();
        for inside in &self.files {
            let (from, to) = (self.root.join(inside), root.join(inside));
            let parent = to.parent().filter(|parent| made.insert(parent.to_path_buf()));
            let parent = parent.map_or(Ok(()), fs::create_dir_all);
            parent.and_then(|()| copy(&from, &to)).map_err(|why| ProjectError::Copy { path: from, why })?;
        }
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    if let Ok(target) = fs::read_link(from)
        && (target.is_relative() || !from.exists())
    {
        return std::os::unix::fs::symlink(target, to);
    }
    // A link to a directory outside of the project, whose content is not the project's, to a pipe or to a device.
    if !from.is_file() {
        return Ok(());
    }
    match fs::copy(from, to) {
        Ok(_) => Ok(()),
        // Removed since it was listed.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
