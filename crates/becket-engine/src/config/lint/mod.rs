//! Things that load and are probably not what was meant. Run by `check`, never by a session.
//!
//! [`lint`] looks at the texts alone; [`lint_files`] also at the scripts that handlers name. Both only ever warn.

mod commands;
mod files;
mod matchers;
mod swallow;
mod timing;
mod variables;

pub use files::lint_files;

use super::diagnostic::Diagnostic;
use super::load::Loaded;
use super::raw::Entry;
use super::resolve::parts;
use super::source::report::Report;
use crate::profile::Profile;
use becket_rules::Renames;
use std::collections::HashSet;

/// What a lint may look at beside the entry.
struct Around<'a> {
    profile: &'a Profile,
    tools: &'a Renames,
    /// Whether the file belongs to a plugin.
    of_plugin: bool,
    /// The variables that some file's `env` sets.
    env: &'a [String],
}

/// Looks at every entry of every file.
pub fn lint(loaded: &Loaded) -> Vec<Diagnostic> {
    let parts = parts(loaded);
    let env: Vec<String> =
        parts.iter().flat_map(|part| part.sheet.env.iter().map(|(name, _)| name.clone())).collect();
    let mut found = Vec::new();
    for part in &parts {
        let text = part.layer.text.as_deref().unwrap_or_default();
        let mut report = Report::new(part.layer.file.clone(), part.layer.source.clone(), text);
        let around = Around {
            profile: &loaded.request.profile,
            tools: &loaded.request.tools,
            of_plugin: part.layer.root.is_some(),
            env: &env,
        };
        let mut groups = HashSet::new();
        for entry in &part.sheet.entries {
            // A matcher is its group's: one word about it is enough.
            if groups.insert(entry.matcher_span) {
                matchers::lint(entry, &around, &mut report);
            }
            timing::lint(entry, &mut report);
            commands::lint(entry, &around, &mut report);
        }
        found.extend(report.finish());
    }
    found
}
