//! Shows the changes of guards, asks whether to make them, and makes them.

use super::project::guard_error;
use crate::commands::install::difference;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::out::Out;
use crate::report::style::{FAINT, WARNING, plain, styled};
use becket_install::FileChange;
use becket_install::guard::GuardPlan;
use inquire::{Confirm, InquireError};

/// The way in which a user confirms changes.
pub(crate) struct Confirmation {
    /// True if nothing is changed.
    pub(crate) dry_run: bool,
    /// True if no question is asked.
    pub(crate) yes: bool,
    /// True if the contents of new files are shown, and not only their names.
    pub(crate) shows_files: bool,
}

/// Shows the changes, asks, and makes them. Returns true if something was changed.
pub(crate) fn apply(
    plan: &GuardPlan,
    confirmation: &Confirmation,
    around: &Surroundings,
    out: &Out,
) -> Result<bool, CliError> {
    for path in &plan.kept {
        let path = plain(&around.short(path));
        out.note(&format!("{} `{path}` stays: it was edited\n", styled(WARNING, "note:")));
    }
    if plan.is_nothing() {
        out.remark("nothing to do\n")?;
        return Ok(false);
    }
    // Changes that the user has to confirm are always shown, and so are files from elsewhere.
    let is_shown = confirmation.shows_files || !confirmation.yes || !out.is_quiet();
    for change in plan.changes.iter().filter(|change| is_shown && !change.is_nothing()) {
        out.print(&shown(change, confirmation.shows_files, around))?;
    }
    if confirmation.dry_run {
        out.remark("nothing was changed: this is a dry run\n")?;
        return Ok(false);
    }
    if !confirmation.yes {
        ask(around)?;
    }
    plan.apply().map_err(guard_error)?;
    Ok(true)
}

/// Returns a change as text: settings as a diff; a file that is added or removed in full, or by its name alone.
fn shown(change: &FileChange, shows_files: bool, around: &Surroundings) -> String {
    let is_settings = change.path().file_name().is_some_and(|name| name == "settings.json");
    let is_record = change.path().file_name().is_some_and(|name| name == "guards.json");
    let is_edited =
        change.before().is_some() && change.after().is_some() && change.before() != change.after();
    if is_settings || (!is_record && (shows_files || is_edited)) {
        return difference(change.path(), change.before(), change.after(), around);
    }
    let deed = match (change.before(), change.after()) {
        (None, _) => "new",
        (_, None) => "removed",
        (Some(_), Some(_)) => "changed",
    };
    let line = format!("{deed:7}  {}", around.short(change.path()));
    format!("{}\n", styled(FAINT, &line))
}

/// Asks whether to make the changes.
fn ask(around: &Surroundings) -> Result<(), CliError> {
    if !(around.terminals.stdin && around.terminals.stderr) {
        return Err(CliError::usage(
            "nothing was changed: there is no terminal to ask at. Pass `--yes` to make the changes, or `--dry-run` to see them",
        ));
    }
    match Confirm::new("Make these changes?").with_default(false).prompt() {
        Ok(true) => Ok(()),
        Ok(false) | Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => {
            Err(CliError::guard("nothing was changed"))
        }
        Err(error) => Err(CliError::guard(format!("nothing was changed: {error}"))),
    }
}
