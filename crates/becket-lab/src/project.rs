//! Throw-away copies of a project, in which hooks may write freely.
//!
//! INVARIANT: nothing here writes outside of the copy, and a copy is removed with its owner.

mod git;
mod stamps;
mod template;

pub(crate) use stamps::FileStamps;
pub use template::ProjectTemplate;

use crate::case::Case;
use crate::owned_directory::OwnedDirectory;
use becket_engine::{CancellationToken, Environment};
use becket_process::Runner;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a throw-away project can't be created.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The project is too large to be copied for each case.
    #[error(
        "the project has more than {files} files or {mebibytes} MiB, which is too much to copy: let \
         `.gitignore` or `.ignore` leave out what hooks don't need"
    )]
    TooLarge {
        /// The maximum number of files that are copied.
        files: usize,
        /// The maximum number of mebibytes that are copied.
        mebibytes: u64,
    },
    /// A file can't be read or written.
    #[error("`{}` can't be copied: {why}", path.display())]
    Copy {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// The directory for copies can't be created.
    #[error("there is no place for a copy of the project: {0}")]
    NoPlace(io::Error),
    /// A git repository can't be created.
    #[error("the git repository of the case can't be made: {why}")]
    Git {
        /// The command that failed, and its message.
        why: String,
    },
}

/// The beginning of the names of the directories for copies.
pub(crate) const PREFIX: &str = "becket-case-";

/// A copy of a project with the changes of a case.
#[derive(Debug)]
pub struct ThrowAwayProject {
    root: PathBuf,
    /// Removes the copy when it is dropped.
    _directory: OwnedDirectory,
}

impl ThrowAwayProject {
    /// Copies a project and creates the files and the repository of a case.
    ///
    /// # Errors
    /// Errors if a file can't be written or git fails.
    pub async fn create(
        template: &ProjectTemplate,
        case: &Case,
        environment: &Environment,
        cancel: &CancellationToken,
    ) -> Result<Self, ProjectError> {
        let directory = OwnedDirectory::create(PREFIX, &environment.temp()).map_err(ProjectError::NoPlace)?;
        let root = directory.path().canonicalize().map_err(ProjectError::NoPlace)?.join("project");
        let project = ThrowAwayProject { root, _directory: directory };
        project.fill(template, case, environment, cancel).await?;
        Ok(project)
    }

    /// Recreates the copy in the same place.
    ///
    /// # Errors
    /// See [`ThrowAwayProject::create`].
    pub async fn restore(
        &self,
        template: &ProjectTemplate,
        case: &Case,
        environment: &Environment,
        cancel: &CancellationToken,
    ) -> Result<(), ProjectError> {
        fs::remove_dir_all(&self.root).map_err(|why| ProjectError::Copy { path: self.root.clone(), why })?;
        self.fill(template, case, environment, cancel).await
    }

    async fn fill(
        &self,
        template: &ProjectTemplate,
        case: &Case,
        environment: &Environment,
        cancel: &CancellationToken,
    ) -> Result<(), ProjectError> {
        template.copy_to(&self.root)?;
        self.write(&case.files)?;
        match &case.git {
            Some(state) => git::create(&self.root, state, environment, &Runner::new(), cancel).await,
            None => Ok(()),
        }
    }

    /// Returns the root of the copy, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the stamps of its files, those of its git repository included; `None` if they can't be read.
    pub(crate) fn stamps(&self) -> Option<FileStamps> {
        FileStamps::read(&self.root).ok()
    }

    /// Writes files by their paths inside of the copy.
    ///
    /// # Errors
    /// Errors if one can't be written.
    pub fn write(&self, files: &BTreeMap<String, String>) -> Result<(), ProjectError> {
        for (path, text) in files {
            let path = self.root.join(path);
            let parent = path.parent().unwrap_or(&self.root);
            let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, text));
            written.map_err(|why| ProjectError::Copy { path, why })?;
        }
        Ok(())
    }

    /// Returns the content of each file in the copy, without `.git` and caches of Python.
    ///
    /// # Errors
    /// Errors if a file can't be read.
    pub fn contents(&self) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut directories = vec![self.root.clone()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                let (path, kind) = (entry.path(), entry.file_type()?);
                if kind.is_dir() {
                    if ![".git", "__pycache__"].iter().any(|name| entry.file_name() == *name) {
                        directories.push(path);
                    }
                } else if kind.is_file() {
                    found.insert(path.clone(), fs::read(path)?);
                } else {
                    found.insert(path, Vec::new());
                }
            }
        }
        Ok(found)
    }
}
