//! The plan to remove guards from a project: exactly the additions, and nothing that was edited since.

use crate::guard::add::{check_inside, is_in_project, removals};
use crate::guard::change::GuardPlan;
use crate::guard::error::GuardError;
use crate::guard::record::GuardRecords;
use crate::guard::settings::ProjectSettings;
use std::path::{Path, PathBuf};

/// Plans to remove guards from the project in `root`.
///
/// # Errors
/// See [`GuardError`].
pub fn remove_guards(root: &Path, names: &[&str]) -> Result<GuardPlan, GuardError> {
    let before = GuardRecords::read(root)?;
    let settings = ProjectSettings::read(root)?;
    let mut after = before.clone();
    let (mut changes, mut kept) = (Vec::new(), Vec::new());
    for name in names {
        let known = before.of(name)?;
        settings.check_hooks(name, &known.items)?;
        let (gone, edited) = removals(root, &known.files)?;
        changes.extend(gone);
        kept.extend(edited);
        after.guards.remove(*name);
    }
    let (change, record) = settings.rewritten(&before, &after, &[])?;
    after.settings = record;
    let directories = before.directories.iter().map(|directory| root.join(directory));
    let directories: Vec<PathBuf> = directories.filter(|directory| is_in_project(root, directory)).collect();
    after.directories.retain(|directory| !names.iter().any(|name| directory.ends_with(name)));
    // The settings come first, so that no hook remains without its script.
    changes.insert(0, change);
    changes.push(after.change(root)?);
    check_inside(root, &changes)?;
    Ok(GuardPlan { changes, kept, directories })
}
