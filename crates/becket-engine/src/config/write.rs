//! Writes a changed settings file in one step (P13): a reader sees the old text or the new one.
//!
//! A symbolic link stays one: its target is replaced. The file's mode is kept. Two concurrent writers are not
//! coordinated: the later one wins.

use super::edit::{EditError, edit_settings};
use super::source::read::{self, ReadError};
use becket_base::json_edit;
use becket_base::private_file::{self, Replacement};
use becket_rules::Change;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a settings file was not written. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file can't be read.
    #[error("`{}` can't be read: {why}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: ReadError,
    },
    /// The text can't be edited.
    #[error("`{}`: {why}", file.display())]
    Edit {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: EditError,
    },
    /// The new text can't be put in place.
    #[error("`{}` can't be written: {why}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: io::Error,
    },
}

/// Makes changes to a settings file, and creates it with its directory if it does not exist.
///
/// # Errors
/// Returns a [`WriteError`]; the file is untouched then.
pub fn write_settings(file: &Path, changes: &[Change]) -> Result<(), WriteError> {
    let file = target(file);
    let old = read::text(&file).map_err(|why| WriteError::Read { file: file.clone(), why })?;
    let text = old.as_deref().unwrap_or_default();
    let new = edit_settings(text, changes).map_err(|why| WriteError::Edit { file: file.clone(), why })?;
    // A missing file is not created without a change.
    if old.as_deref() == Some(new.as_str()) || (text.trim().is_empty() && new == json_edit::EMPTY) {
        return Ok(());
    }
    replace(&file, &new, Access::AsUsual).map_err(|why| WriteError::Write { file, why })
}

/// The access mode of a file that is created; an existing file keeps its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Readable as far as the process's umask allows.
    AsUsual,
    /// Readable by its owner alone.
    Private,
}

/// Replaces the text of a file, and creates it with its directory if it does not exist.
///
/// # Errors
/// Errors if it can't be written; it is untouched then.
pub fn write_text(file: &Path, text: &str, access: Access) -> Result<(), WriteError> {
    let file = target(file);
    replace(&file, text, access).map_err(|why| WriteError::Write { file, why })
}

/// Follows links to the file to write; a link that leads nowhere names the file to create.
fn target(file: &Path) -> PathBuf {
    let mut path = file.to_owned();
    for _ in 0..40 {
        let Ok(link) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    path
}

fn replace(file: &Path, text: &str, access: Access) -> io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    let options = match access {
        Access::AsUsual => OpenOptions::new(),
        Access::Private => private_file::options(),
    };
    let mut new = Replacement::beside(file, &options)?;
    if let Ok(metadata) = fs::metadata(file) {
        new.file().set_permissions(metadata.permissions())?;
    }
    new.write(text.as_bytes())?;
    new.commit(file)?;
    private_file::sync_parent(file);
    Ok(())
}
