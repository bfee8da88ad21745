//! Checks for entries that load and are probably not what was meant. Run by `check`, never by a session.
//!
//! [`lint`] looks at the texts alone, [`lint_frontmatter`] at that of a skill or an agent; [`lint_files`] also at the
//! scripts that handlers name. A guard that can never work is an error here, though it was loaded: `check` must not
//! report that all is well.

mod answers;
mod checkers;
mod commands;
mod conditions;
mod env;
mod events;
mod exit_status;
mod fallback;
mod fetch;
mod fields;
mod files;
mod guards;
mod inline;
mod machine_paths;
mod matchers;
mod messages;
mod pipes;
mod portable;
mod powershell;
mod program_text;
mod programs;
mod prompts;
mod rules;
mod secrets;
mod session_end;
mod settings;
mod simple_commands;
mod status_line;
mod swallow;
mod template_marks;
mod timing;
mod tool_fields;
mod unexpanded;
mod unwrapped;
mod variables;

pub use files::{lint_files, lint_place};

use super::diagnostic::Diagnostic;
use super::frontmatter::{self, Frontmatter};
use super::load::{Layer, LayerKind, LoadedFiles};
use super::raw::{At, Dialect, Entry, ReadContext};
use super::resolve::{Part, parts};
use super::source::json;
use super::source::report::Report;
use super::source::tree::{Node, Span};
use crate::host::profile::Profile;
use becket_model::Source;
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
    agent: Option<Dialect>,
    /// The variables that already have a finding, if one finding is enough for the whole file.
    reported: RefCell<HashSet<String>>,
}

/// Checks every entry of every file.
pub fn lint(loaded: &LoadedFiles) -> Vec<Diagnostic> {
    let parts = parts(loaded);
    let places = places(loaded);
    let mut found = Vec::new();
    for (part, places) in parts.iter().zip(&places) {
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
        if portable::is_shared(part.layer, &around) {
            portable::settings(part.layer, text, &mut report);
        }
        let mut downloads = every_entry(&part.sheet.entries, text, part.layer, &around, &mut report);
        for entry in &part.sheet.not_loaded {
            machine_paths::lint(entry, &mut report);
            template_marks::lint(entry, &around, &mut report);
            commands::lint_text(entry, &around, &mut report);
        }
        if let Ok(document) = json::parse(text) {
            let words = ReadContext::new(loaded.request.profile.clone(), loaded.request.tools.clone());
            let members = document.root.as_map().unwrap_or_default();
            if matches!(part.layer.kind, LayerKind::Settings | LayerKind::PluginHooks) {
                let beside = unwrapped::entries(members, &words, &mut report);
                downloads = every_entry(&beside, text, part.layer, &around, &mut report) || downloads;
            }
            if part.sheet.agent == Some(Dialect::Copilot) {
                version(&document.root, &mut report);
            }
            status_line::lint(members, &words, downloads, &around, &mut report);
            if words.agent_of(&report).is_none() {
                settings::lint(members, part.layer, &around, places, &mut report);
            }
            secrets::lint(&document.root, part.layer, &mut report);
        }
        found.extend(report.finish());
    }
    found
}

/// Checks every entry in the frontmatter of a skill or an agent.
pub fn lint_frontmatter(text: &str, about: &Frontmatter<'_>) -> Vec<Diagnostic> {
    let Some((layer, sheet)) = frontmatter::written(text, about) else { return Vec::new() };
    let mut report = Report::new(layer.file.clone(), layer.source.clone(), text);
    let around = Around {
        profile: about.profile,
        tools: about.tools,
        of_plugin: layer.root.is_some(),
        env: &[],
        agent: None,
        reported: RefCell::default(),
    };
    every_entry(&sheet.entries, text, &layer, &around, &mut report);
    if matches!(about.source, Source::Agent(_)) {
        frontmatter::events(text).iter().for_each(|event| events::lint_of_agent(event, &mut report));
    }
    // Fixes edit JSON.
    report.finish().into_iter().map(|finding| Diagnostic { fix: None, ..finding }).collect()
}

/// Checks handlers of a file; returns whether one of them downloads a package.
fn every_entry(
    entries: &[Entry],
    text: &str,
    layer: &Layer,
    around: &Around<'_>,
    report: &mut Report<'_>,
) -> bool {
    let is_shared = portable::is_shared(layer, around);
    let mut groups = HashSet::new();
    let mut downloads = false;
    for entry in entries {
        // A matcher belongs to its group: one finding about it is enough.
        if groups.insert(entry.matcher_span) {
            matchers::lint(entry, around, report);
        }
        if is_shared {
            portable::handler(entry, text, report);
        }
        timing::lint(entry, around, report);
        events::lint(entry, around, report);
        prompts::lint(entry, report);
        machine_paths::lint(entry, report);
        template_marks::lint(entry, around, report);
        commands::lint(entry, around, report);
        downloads = downloads || fetch::lint(entry, report);
    }
    conditions::lint(entries, report);
    downloads
}

/// Returns, for each file, the places of the findings that reading it gives.
fn places(loaded: &LoadedFiles) -> Vec<HashSet<usize>> {
    let of_part =
        |part: Part<'_>| part.report.finish().into_iter().map(|finding| finding.span.start).collect();
    parts(loaded).into_iter().map(of_part).collect()
}

/// Warns about a hooks file of Copilot that does not name its version, without which Copilot reads nothing of it.
fn version(root: &Node, report: &mut Report<'_>) {
    if root.get("hooks").is_none() || root.get("version").is_some() {
        return;
    }
    let start = root.span.start;
    report
        .warning(
            Span::new(start, start + 1),
            "missing-field",
            "without `version` Copilot reads nothing of a hooks file",
        )
        .help("write `\"version\": 1` beside `hooks`")
        .rule("C4");
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
