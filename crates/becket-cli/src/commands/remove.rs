//! `becket remove`: guards, removed from the settings of a project.

use super::add::{Confirmation, apply, guard_error, project_root};
use crate::args::{Global, RemoveArgs};
use crate::env::Surroundings;
use crate::error::CommandResult;
use crate::out::Out;
use becket_install::guard::remove_guards;

/// Removes the guards: all of them or none.
pub(crate) fn run(args: &RemoveArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let root = project_root(global, around, out)?;
    let mut names: Vec<&str> = args.guards.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let plan = remove_guards(&root, &names).map_err(guard_error)?;
    let confirmation = Confirmation { dry_run: args.dry_run, yes: args.yes, shows_files: args.dry_run };
    if apply(&plan, &confirmation, around, out)? {
        out.print(&format!("removed {}\n", names.join(", ")))?;
    }
    Ok(0)
}
