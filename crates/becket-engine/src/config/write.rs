//! Writes a changed settings file in one step (P13): a reader sees the old text or the new one.
//!
//! The changes are made to the text that the file has at that moment, even if other processes write it at the same time.

use super::edit::{EditError, edit_settings};
use becket_base::config_file::{Access, ConfigFile, FileError, UpdateError};
use becket_base::json_edit;
use becket_rules::Change;
use std::path::{Path, PathBuf};

/// The reason why a settings file was not written. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file can't be read or replaced.
    #[error("`{}`: {why}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: FileError,
    },
    /// The text can't be edited.
    #[error("`{}`: {why}", file.display())]
    Edit {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: EditError,
    },
}

/// Makes changes to a settings file, and creates it with its directory if it does not exist.
///
/// # Errors
/// Returns a [`WriteError`]; the file is untouched then.
pub fn write_settings(file: &Path, changes: &[Change]) -> Result<(), WriteError> {
    let edited = |text: &str| {
        let new = edit_settings(text, changes)?;
        // A missing file is not created without a change.
        let is_nothing = text.trim().is_empty() && new == json_edit::EMPTY;
        Ok(if is_nothing { text.to_owned() } else { new })
    };
    ConfigFile::update(file, Access::AsUsual, edited).map_err(|error| match error {
        UpdateError::File(why) => WriteError::File { file: file.to_owned(), why },
        UpdateError::Edit(why) => WriteError::Edit { file: file.to_owned(), why },
    })
}
