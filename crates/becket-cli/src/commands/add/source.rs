//! The origin of a guard, as typed.

use super::github::GithubSource;
use super::project::guard_error;
use crate::env::Surroundings;
use crate::error::CliError;
use becket_install::guard::{Guard, catalog};
use std::path::PathBuf;

/// The origin of a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GuardSource {
    /// A guard of Becket itself.
    Own(String),
    /// A folder, as typed, and its absolute path.
    Folder { typed: String, path: PathBuf },
    /// A folder of a GitHub repository.
    Github(GithubSource),
}

impl GuardSource {
    /// Reads an argument: `NAME`, a path, or `github:OWNER/REPO@COMMIT`.
    ///
    /// # Errors
    /// See [`GithubSource::parse`].
    pub(super) fn parse(given: &str, around: &Surroundings) -> Result<Self, CliError> {
        if let Some(rest) = given.strip_prefix("github:") {
            return GithubSource::parse(rest).map(GuardSource::Github).map_err(CliError::usage);
        }
        let is_path = given.starts_with('.') || given.contains(['/', '\\']);
        if !is_path {
            return Ok(GuardSource::Own(given.to_owned()));
        }
        let cwd = around.process.cwd.as_ref().ok_or(CliError::NoWorkingDirectory)?;
        Ok(GuardSource::Folder { typed: given.to_owned(), path: cwd.join(given) })
    }

    /// Returns the name of the origin in the record.
    pub(super) fn name(&self) -> String {
        match self {
            GuardSource::Own(_) => "becket".to_owned(),
            GuardSource::Folder { typed, .. } => typed.clone(),
            GuardSource::Github(source) => source.to_string(),
        }
    }

    /// Returns true for a guard of Becket.
    pub(super) const fn is_own(&self) -> bool {
        matches!(self, GuardSource::Own(_))
    }

    /// Loads the guard.
    ///
    /// # Errors
    /// Errors if the guard can't be read or fetched.
    pub(super) fn guard(&self, around: &Surroundings) -> Result<Guard, CliError> {
        match self {
            GuardSource::Own(name) => catalog::guard(name).map_err(guard_error),
            GuardSource::Folder { path, .. } => Guard::read(path).map_err(guard_error),
            GuardSource::Github(source) => source.fetch(around),
        }
    }
}
