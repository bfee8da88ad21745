//! Checks for entries that load and are probably not what was meant. Run by `check`, never by a session.
//!
//! [`lint`] looks at the texts alone; [`lint_files`] also at the scripts that handlers name. A guard that can never
//! work is an error here, though it was loaded: `check` must not report that all is well.

mod answers;
mod checkers;
mod commands;
mod conditions;
mod env;
mod events;
mod fetch;
mod fields;
mod files;
mod guards;
mod inline;
mod machine_paths;
mod matchers;
mod messages;
mod pipes;
mod placeholders;
mod portable;
mod programs;
mod prompts;
mod rules;
mod session_end;
mod swallow;
mod timing;
mod tool_fields;
mod variables;

pub use files::{lint_files, lint_place};

use super::diagnostic::Diagnostic;
use super::load::LoadedFiles;
use super::raw::{At, Entry};
use super::resolve::parts;
use super::source::report::Report;
use crate::host::profile::Profile;
use becket_rules::Renames;
use std::cell::RefCell;
use std::collections::HashSet;

/// The context of an entry that a lint may use.
struct Around<'a> {
    profile: &'a Profile,
    tools: &'a Renames,
    /// Set if the file belongs to a plugin.
    of_plugin: bool,
    /// The variables that the `env` of a file sets for its handlers.
    env: &'a [String],
    /// The other agent that the file belongs to.
    agent: Option<&'static str>,
    /// The variables that already have a finding, if one finding is enough for the whole file.
    reported: RefCell<HashSet<String>>,
}

/// Checks every entry of every file.
pub fn lint(loaded: &LoadedFiles) -> Vec<Diagnostic> {
    let parts = parts(loaded);
    let mut found = Vec::new();
    for part in &parts {
        let text = part.layer.text.as_deref().unwrap_or_default();
        let mut report = Report::new(part.layer.file.clone(), part.layer.source.clone(), text);
        // A handler sees no `env` of less trusted files (H3).
        let rank = part.layer.source.trust_rank();
        let seen = parts.iter().filter(|other| other.layer.source.trust_rank() <= rank);
        let env: Vec<String> =
            seen.flat_map(|other| other.sheet.env.iter().map(|variable| variable.name.clone())).collect();
        let around = Around {
            profile: &loaded.request.profile,
            tools: &loaded.request.tools,
            of_plugin: part.layer.root.is_some(),
            env: &env,
            agent: part.sheet.agent,
            reported: RefCell::default(),
        };
        env::lint(part, &parts, &mut report);
        switched_off(part.sheet.switches.disable_all_hooks.as_ref(), &mut report);
        rules::lint(&part.sheet, part.layer, &mut report);
        let is_shared = portable::is_shared(part.layer, &around);
        if is_shared {
            portable::settings(part.layer, text, &mut report);
        }
        let mut groups = HashSet::new();
        let mut downloads = false;
        for entry in &part.sheet.entries {
            // A matcher belongs to its group: one finding about it is enough.
            if groups.insert(entry.matcher_span) {
                matchers::lint(entry, &around, &mut report);
            }
            if is_shared {
                portable::handler(entry, text, &mut report);
            }
            timing::lint(entry, &around, &mut report);
            events::lint(entry, &around, &mut report);
            prompts::lint(entry, &mut report);
            machine_paths::lint(entry, &mut report);
            placeholders::lint(entry, &around, &mut report);
            commands::lint(entry, &around, &mut report);
            downloads = downloads || fetch::lint(entry, &mut report);
        }
        conditions::lint(&part.sheet.entries, &mut report);
        for entry in &part.sheet.not_loaded {
            machine_paths::lint(entry, &mut report);
            placeholders::lint(entry, &around, &mut report);
            commands::lint_text(entry, &around, &mut report);
        }
        found.extend(report.finish());
    }
    found
}

/// Warns about a file that switches hooks off.
fn switched_off(switch: Option<&At<bool>>, report: &mut Report<'_>) {
    if let Some(At { value: true, span }) = switch {
        let message = "`disableAllHooks` is true, so only managed hooks run";
        report
            .warning(*span, "hooks-disabled", message)
            .help("remove it to enable the other hooks again")
            .rule("G2");
    }
}
