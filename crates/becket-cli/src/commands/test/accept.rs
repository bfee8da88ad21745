//! `becket test --accept`: writes what was seen into the case files.

use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{HEAD, WARNING, plain, styled};
use becket_base::line_diff;
use becket_lab::runner::{CaseError, CaseResult};
use becket_lab::{CaseRecord, Suite, accept};
use std::collections::BTreeMap;
use std::path::Path;

/// Writes the files that change and shows the differences; returns the exit code, which is `code` if a case could not be
/// tested or written.
pub(super) fn write(
    suite: &Suite,
    records: &[CaseRecord],
    code: u8,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let mut by_file: BTreeMap<&Path, Vec<&CaseRecord>> = BTreeMap::new();
    for record in records {
        by_file.entry(&record.case.origin.file).or_default().push(record);
    }
    let changed = suite.changed_files();
    let mut is_whole = true;
    for (file, records) in by_file {
        let Some(before) = suite.text(file) else {
            // A case in a comment of a hook: hooks are never edited.
            is_whole &= records.iter().all(|record| !matches!(record.result, CaseResult::Failed(_)));
            continue;
        };
        if changed.contains(&file) {
            continue;
        }
        let after = accept::accepted(before, &records).map_err(|error| CliError::lab(&error))?;
        if after == before {
            continue;
        }
        std::fs::write(file, &after).map_err(|why| CliError::Write { path: file.to_owned(), why })?;
        let diff = line_diff::unified(before, &after, 3, None);
        let name = styled(HEAD, &around.short(file));
        out.print(&format!("\nreview {name}:\n{}", plain(&diff)))?;
    }
    if !is_whole {
        out.eprint(&styled(WARNING, "cases in comments were not changed: edit the hooks yourself\n"));
    }
    let is_untested = |record: &CaseRecord| match &record.result {
        CaseResult::Passed | CaseResult::Failed(_) | CaseResult::Error(CaseError::ExpectsNothing) => false,
        CaseResult::Error(_) => true,
    };
    let is_tested = suite.errors.is_empty() && changed.is_empty() && !records.iter().any(is_untested);
    Ok(if is_tested && is_whole { 0 } else { code })
}
