//! The guards of the project whose rules and hooks are not all in its settings.

use crate::commands::add::missing_items;
use crate::session::Session;
use becket_engine::config::{Diagnostic, Severity};
use becket_install::guard::{GuardError, incomplete_guards};
use becket_model::Source;
use std::path::Path;

/// The record of the guards, below the project.
const RECORD: &str = ".claude/guards.json";

/// Returns a finding for each incomplete guard, or one if the record can't be read.
pub(super) fn findings(session: &Session) -> Vec<Diagnostic> {
    let root = session.project.as_ref().unwrap_or(&session.start);
    let finding = |message: String, file: &Path| {
        Diagnostic::new(Severity::Warning, "guard-incomplete", message, file.into(), Source::Project)
    };
    match incomplete_guards(root) {
        Ok(found) => found.iter().map(|guard| finding(missing_items(guard), &guard.settings)).collect(),
        // Those are reported as settings.
        Err(GuardError::Settings { .. }) => Vec::new(),
        Err(error) => vec![finding(error.to_string(), &root.join(RECORD))],
    }
}
