//! The project to which guards are added.

use crate::args::{Global, ProfileName};
use crate::commands::install::on_path;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::out::Out;
use crate::session;
use becket_base::is_same_path;
use becket_install::guard::{Guard, GuardError, IncompleteGuard};
use std::path::{Path, PathBuf};

/// Returns the root of the project around the working directory.
///
/// # Errors
/// Errors if it is the home directory, whose settings apply to all projects.
pub(crate) fn project_root(global: &Global, around: &Surroundings, out: &Out) -> Result<PathBuf, CliError> {
    if global.profile != ProfileName::Claude {
        return Err(CliError::usage(
            "guards are written for the settings in `.claude`: leave `--profile` out",
        ));
    }
    let session = session::in_project(global, around, out)?;
    let root = session.project.unwrap_or(session.start);
    refuse_home(&root, around)?;
    Ok(root)
}

/// Refuses the home directory.
pub(crate) fn refuse_home(root: &Path, around: &Surroundings) -> Result<(), CliError> {
    let is_home = around.process.home.as_ref().is_some_and(|home| is_same_path(root, home));
    match is_home {
        true => Err(CliError::guard(
            "nothing was changed: this is your home directory, whose `.claude/settings.json` counts in all your projects. \
             Go to a project, or name one with `-C`",
        )),
        false => Ok(()),
    }
}

/// Returns the programs that a guard needs and that are not on the search path.
pub(crate) fn missing_programs<'g>(guard: &'g Guard, around: &Surroundings) -> Vec<&'g str> {
    let needs = guard.manifest.needs.iter().map(String::as_str);
    needs.filter(|program| on_path(program, around).is_none()).collect()
}

/// Returns a text about the rules and hooks of a guard that the settings lack.
pub(crate) fn missing_items(guard: &IncompleteGuard) -> String {
    let IncompleteGuard { name, missing, all, .. } = guard;
    format!(
        "{missing} of the {all} rules and hooks of `{name}` are not in the settings: add it again to restore them"
    )
}

/// Converts an error about guards into the error of a command.
pub(crate) fn guard_error(error: GuardError) -> CliError {
    match error {
        GuardError::Unknown { .. }
        | GuardError::NotAdded { .. }
        | GuardError::NoAnswer { .. }
        | GuardError::NoQuestion { .. }
        | GuardError::BadAnswer { .. } => CliError::usage(error),
        GuardError::Unread { .. }
        | GuardError::NotRegular { .. }
        | GuardError::TooLarge { .. }
        | GuardError::Manifest { .. }
        | GuardError::File { .. }
        | GuardError::Settings { .. }
        | GuardError::Record { .. }
        | GuardError::Foreign { .. }
        | GuardError::Outside { .. }
        | GuardError::Edited { .. }
        | GuardError::EditedHook { .. } => CliError::guard(format!("nothing was changed: {error}")),
    }
}
