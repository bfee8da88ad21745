//! The guards that can be added, and those that were added.

use super::project::{guard_error, missing_items};
use crate::env::Surroundings;
use crate::error::CommandResult;
use crate::out::Out;
use crate::report::style::{FAINT, GOOD, WARNING, plain, styled};
use crate::wrap;
use becket_install::guard::{GuardRecords, catalog, incomplete_guards};
use std::path::Path;

/// The column in which descriptions begin.
const COLUMN: usize = 31;

/// Lists the guards.
pub(super) fn run(root: &Path, around: &Surroundings, out: &Out) -> CommandResult {
    let mut text = String::new();
    let records = GuardRecords::read(root).map_err(guard_error)?;
    let incomplete = incomplete_guards(root).map_err(guard_error)?;
    let is_incomplete = |name: &str| incomplete.iter().any(|guard| guard.name == name);
    for name in catalog::names() {
        let guard = catalog::guard(name).map_err(guard_error)?;
        let added = match records.guards.get(name) {
            Some(_) if is_incomplete(name) => styled(WARNING, "partial"),
            Some(known) if known.hash == guard.hash => styled(GOOD, "added  "),
            Some(_) => styled(GOOD, "changed"),
            None => "       ".to_owned(),
        };
        let summary = plain(&guard.manifest.summary);
        text.push_str(&line(&format!("{name:22} {added} "), &summary, around.width));
        for question in &guard.manifest.questions {
            let question = styled(FAINT, &format!("--set {}=…  {}", question.id, plain(&question.text)));
            text.push_str(&line(&" ".repeat(COLUMN), &question, around.width));
        }
    }
    for (name, record) in records.guards.iter().filter(|(name, _)| !catalog::names().contains(&name.as_str()))
    {
        let source = format!("from {}", plain(&record.source));
        let added = if is_incomplete(name) { styled(WARNING, "partial") } else { styled(GOOD, "added  ") };
        text.push_str(&line(&format!("{name:22} {added} "), &source, around.width));
    }
    out.print(&text)?;
    for guard in &incomplete {
        out.note(&format!("{} {}\n", styled(WARNING, "note:"), plain(&missing_items(guard))));
    }
    Ok(0)
}

/// Returns a line with a head that ends in [`COLUMN`] and a description, which is below the head if there is no room beside
/// it.
fn line(head: &str, text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return format!("{head}{text}\n") };
    match width >= 2 * COLUMN {
        true => format!("{head}{}\n", wrap::hanging(text, COLUMN, width)),
        false if head.trim().is_empty() => format!("    {}\n", wrap::hanging(text, 4, width)),
        false => format!("{}\n    {}\n", head.trim_end(), wrap::hanging(text, 4, width)),
    }
}
