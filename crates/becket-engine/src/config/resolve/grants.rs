//! Permission rules, directories and the mode of all files, without what a file has lost the right to grant (C7b)
//! and without what has to wait for trust in the folder (G3).
//!
//! A mode looser than `default` is held back as well: a repository that could set it would not need allow rules.
//!
//! INVARIANT: deny and ask rules are never held back.

use super::Part;
use super::merge::weight;
use crate::config::load::LoadedFiles;
use crate::config::permissions::{AdditionalDirectory, DefaultMode, RuleList, RuleSource};
use crate::config::source::tree::Span;
use becket_model::event::PermissionMode;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The permissions of all files together.
#[derive(Debug, Default)]
pub(super) struct Grants {
    pub(super) rules: Vec<RuleSource>,
    pub(super) directories: Vec<AdditionalDirectory>,
    pub(super) mode: Option<DefaultMode>,
    /// The files that grant nothing.
    pub(super) withheld: Vec<Arc<Path>>,
}

/// The reason why a file's grants do not count.
enum Withheld {
    /// A guard of the file is broken.
    BrokenGuard(String),
    /// The folder is not trusted.
    Untrusted,
}

pub(super) fn collect(parts: &mut [Part<'_>], loaded: &LoadedFiles) -> Grants {
    let mut grants = Grants::default();
    for part in parts.iter_mut().filter(|part| weight(&part.layer.source).is_some()) {
        let withheld = withheld(part);
        if let Some(why) = &withheld {
            report_withheld(part, why);
            grants.withheld.push(part.layer.file.clone());
        }
        add_rules(part, withheld.is_none(), &mut grants);
        if withheld.is_none() {
            add_directories(part, loaded, &mut grants);
        }
        if let Some(mode) = mode(part, withheld.is_none()) {
            grants.mode = stronger(grants.mode.take(), mode);
        }
    }
    grants
}

fn withheld(part: &Part<'_>) -> Option<Withheld> {
    if let Some(why) = &part.sheet.broken_guard {
        return Some(Withheld::BrokenGuard(why.clone()));
    }
    part.layer.is_untrusted.then_some(Withheld::Untrusted)
}

/// Reports each grant that is held back, once.
fn report_withheld(part: &mut Part<'_>, why: &Withheld) {
    let permissions = &part.sheet.permissions;
    let mut entries: Vec<(Span, String)> = Vec::new();
    let allowed = || permissions.rules.iter().filter(|rule| rule.list == RuleList::Allow);
    match why {
        // One fault takes all of them away, so one finding names them.
        Withheld::BrokenGuard(_) if allowed().count() > 1 => {
            let texts: Vec<String> = allowed().map(|rule| format!("`{}`", rule.text)).collect();
            entries.extend(
                allowed().next().map(|rule| (rule.span, format!("each allow rule ({})", texts.join(", ")))),
            );
        }
        Withheld::BrokenGuard(_) | Withheld::Untrusted => {
            entries.extend(allowed().map(|rule| (rule.span, format!("the allow rule `{}`", rule.text))));
        }
    }
    for directory in &permissions.directories {
        entries.push((directory.span, format!("the additional directory `{}`", directory.value)));
    }
    if let Some(mode) = permissions.mode.as_ref().filter(|mode| is_loose(&mode.value)) {
        entries.push((mode.span, format!("the default mode `{}`", mode.value)));
    }
    if let (Withheld::Untrusted, Some(variable)) = (why, part.sheet.env.first()) {
        entries.push((variable.span, format!("`env` (`{}`{})", variable.name, others(part.sheet.env.len()))));
    }
    for (at, what) in entries {
        match why {
            Withheld::BrokenGuard(fault) => {
                let message = format!("{what} does not count, since a guard of this file is broken");
                part.report
                    .warning(at, "withheld-broken-guard", message)
                    .help(format!("repair it: {fault}"))
                    .rule("C7b");
            }
            Withheld::Untrusted => {
                let message = format!("{what} is held back until this folder is trusted");
                part.report.warning(at, "withheld-untrusted", message).rule("G3");
            }
        }
    }
}

fn others(all: usize) -> String {
    match all.saturating_sub(1) {
        0 => String::new(),
        1 => " and another variable".to_owned(),
        more => format!(" and {more} other variables"),
    }
}

fn add_rules(part: &Part<'_>, may_grant: bool, grants: &mut Grants) {
    let rules = part.sheet.permissions.rules.iter();
    for rule in rules.filter(|rule| may_grant || rule.list != RuleList::Allow) {
        grants.rules.push(RuleSource {
            list: rule.list,
            text: rule.text.as_str().into(),
            source: part.layer.source.clone(),
            location: part.report.location(rule.span),
            anchor: part.layer.anchor.clone(),
        });
    }
}

fn add_directories(part: &Part<'_>, loaded: &LoadedFiles, grants: &mut Grants) {
    for directory in &part.sheet.permissions.directories {
        grants.directories.push(AdditionalDirectory {
            path: absolute(&directory.value, loaded),
            source: part.layer.source.clone(),
            location: part.report.location(directory.span),
        });
    }
}

/// Returns the absolute path: `~` is the home directory, a relative path starts in the start directory.
fn absolute(text: &str, loaded: &LoadedFiles) -> PathBuf {
    let home = loaded.request.environment.home();
    match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        (Some(_) | None, Some(_) | None) => loaded.request.start.join(Path::new(text)),
    }
}

/// Returns the file's mode, if it may set one.
fn mode(part: &Part<'_>, may_grant: bool) -> Option<DefaultMode> {
    let mode = part.sheet.permissions.mode.as_ref()?;
    (may_grant || !is_loose(&mode.value)).then(|| DefaultMode {
        mode: mode.value.clone(),
        source: part.layer.source.clone(),
        location: part.report.location(mode.span),
    })
}

/// Returns whether a mode allows what `default` would ask about.
pub(crate) fn is_loose(mode: &PermissionMode) -> bool {
    match mode {
        PermissionMode::AcceptEdits
        | PermissionMode::Auto
        | PermissionMode::BypassPermissions
        | PermissionMode::Other(_) => true,
        PermissionMode::Default | PermissionMode::Plan | PermissionMode::DontAsk => false,
    }
}

fn stronger(old: Option<DefaultMode>, new: DefaultMode) -> Option<DefaultMode> {
    match old {
        Some(old) if weight(&old.source) > weight(&new.source) => Some(old),
        Some(_) | None => Some(new),
    }
}
