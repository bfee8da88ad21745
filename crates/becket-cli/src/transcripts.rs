//! The transcripts of past sessions that a command reads.

use crate::env::Surroundings;
use crate::error::CliError;
use crate::session::Session;
use becket_base::secret::{Redactor, is_secret_variable};
use becket_lab::transcript;
use std::path::{Path, PathBuf};

/// Returns the named transcripts, or those of the project.
///
/// # Errors
/// Errors if a path can't be read, or if there are no transcripts.
pub(crate) fn find(
    given: &[PathBuf],
    session: &Session,
    root: &Path,
    around: &Surroundings,
) -> Result<Vec<PathBuf>, CliError> {
    let paths: Vec<PathBuf> = if given.is_empty() {
        vec![of_project(session, root, around)?]
    } else {
        given.iter().map(|path| around.absolute(path)).collect()
    };
    let mut found = Vec::new();
    for path in &paths {
        found.extend(transcript::find(path).map_err(|why| CliError::unread(path, &why))?);
    }
    if found.is_empty() {
        let listed: Vec<String> = paths.iter().map(|path| around.short(path)).collect();
        return Err(CliError::NoTranscripts { places: listed.join("`, `") });
    }
    Ok(found)
}

fn of_project(session: &Session, root: &Path, around: &Surroundings) -> Result<PathBuf, CliError> {
    let name: String =
        root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let place = session.request().user_directory().map(|user| user.join("projects").join(name));
    place.clone().filter(|place| place.is_dir()).ok_or_else(|| CliError::NoTranscripts {
        places: place.map_or_else(|| "~".to_owned(), |place| around.short(&place)),
    })
}

/// Returns a redactor for the secrets in the environment of this process.
pub(crate) fn secrets(around: &Surroundings) -> Redactor {
    let values = around.process.vars.iter().filter(|(name, _)| is_secret_variable(&name.to_string_lossy()));
    Redactor::new(values.map(|(_, value)| value.as_encoded_bytes()))
}
