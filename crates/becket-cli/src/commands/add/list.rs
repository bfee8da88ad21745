//! The guards that can be added, and those that were.

use super::project::guard_error;
use crate::error::CommandResult;
use crate::out::Out;
use crate::report::style::{FAINT, GOOD, plain, styled};
use becket_install::guard::{GuardRecords, catalog};
use std::path::Path;

/// Lists the guards.
pub(super) fn run(root: &Path, out: &Out) -> CommandResult {
    let records = GuardRecords::read(root).map_err(guard_error)?;
    for name in catalog::names() {
        let guard = catalog::guard(name).map_err(guard_error)?;
        let added = match records.guards.get(name) {
            Some(known) if known.hash == guard.hash => styled(GOOD, "added  "),
            Some(_) => styled(GOOD, "changed"),
            None => "       ".to_owned(),
        };
        out.print(&format!("{name:22} {added} {}\n", plain(&guard.manifest.summary)))?;
        for question in &guard.manifest.questions {
            let line = format!("{:30} --set {}=…  {}", "", question.id, question.text);
            out.print(&format!("{}\n", styled(FAINT, &line)))?;
        }
    }
    for (name, record) in records.guards.iter().filter(|(name, _)| !catalog::names().contains(&name.as_str()))
    {
        out.print(&format!("{name:22} {} from {}\n", styled(GOOD, "added  "), plain(&record.source)))?;
    }
    Ok(0)
}
