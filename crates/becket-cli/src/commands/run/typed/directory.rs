//! `/add-dir`: another working directory.

use super::answer::{CommandContext, CommandResult};
use std::path::{Path, PathBuf};

/// The source of the directory in DirectoryAdded.
const SOURCE: &str = "slash_command";

/// Adds a directory for the rest of the session, and fires DirectoryAdded.
///
/// # Errors
/// Errors if no directory is named, or it is not a directory.
pub(super) async fn added(answering: CommandContext<'_>, given: Option<&str>) -> CommandResult {
    let given = given.ok_or("name a directory, as in `/add-dir ../shared`")?;
    let agent = &answering.session.agent;
    let path = agent.info().cwd.join(at_home(given, answering.at.around.process.home.as_deref()));
    let path = path.canonicalize().map_err(|error| format!("`{given}` can't be added: {error}"))?;
    if !path.is_dir() {
        return Err(format!("`{given}` is not a directory"));
    }
    let added = agent.add_directory(&path, SOURCE).await;
    Ok(match added.is_empty() {
        true => format!("{} is a working directory already", path.display()),
        false => format!("{} is a working directory of this session now", path.display()),
    })
}

/// Expands `~` and `~/…` to the home directory.
fn at_home(given: &str, home: Option<&Path>) -> PathBuf {
    let below = if given == "~" { Some("") } else { given.strip_prefix("~/") };
    match (below, home) {
        (Some(below), Some(home)) => home.join(below),
        (Some(_), None) | (None, _) => given.into(),
    }
}
