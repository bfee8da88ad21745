//! `sandbox` and `pluginHooks` of all files: denials add up; grants count in files that can't come with a repository
//! (E5).

use super::Part;
use super::merge::by_weight;
use crate::config::load::LoadedFiles;
use crate::config::policy::is_of_the_user;
use crate::config::raw::{At, GrantSheet, SandboxSheet};
use crate::config::sandbox::{Sandbox, SandboxGrant};
use becket_model::Source;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files whose grants count.
const OF_THE_USER: &str = "managed settings, the user's and those of the command line";

/// Merges the settings, and reports those that have no effect.
pub(super) fn of(parts: &mut [Part<'_>], loaded: &LoadedFiles) -> Sandbox {
    parts.iter_mut().for_each(warn);
    let ordered = by_weight(parts);
    let trusted: Vec<&Part<'_>> =
        ordered.iter().copied().filter(|part| is_of_the_user(&part.layer.source)).collect();
    let is_on = |get: fn(&SandboxSheet) -> Option<&At<bool>>| {
        let is_demanded = ordered
            .iter()
            .any(|part| !is_of_the_user(&part.layer.source) && get(sheet(part)).is_some_and(|at| at.value));
        is_demanded || trusted.iter().rev().find_map(|part| get(sheet(part))).is_some_and(|at| at.value)
    };
    let only_managed = ordered.iter().any(|part| {
        part.layer.source == Source::Policy
            && sheet(part).lines.managed_domains_only.as_ref().is_some_and(|at| at.value)
    });
    let scope = GrantScope { loaded, only_managed };
    let mut sandbox = Sandbox {
        lines: is_on(|sheet| sheet.enabled.as_ref()).then(|| {
            let mut lines = SandboxGrant::default();
            ordered.iter().for_each(|part| scope.add(&sheet(part).lines, part, &mut lines));
            lines
        }),
        excluded_commands: trusted
            .iter()
            .flat_map(|part| sheet(part).excluded.iter().flat_map(|at| at.value.iter().cloned()))
            .collect(),
        contains_plugins: is_on(|sheet| sheet.contains_plugins.as_ref()),
        ..Sandbox::default()
    };
    for part in ordered {
        for (id, grant) in &sheet(part).plugins {
            let plugin = sandbox.plugins.entry(Arc::from(id.as_str())).or_default();
            scope.add(grant, part, plugin);
        }
    }
    sandbox
}

fn sheet<'p>(part: &'p Part<'_>) -> &'p SandboxSheet {
    &part.sheet.switches.sandbox
}

/// The context of the grants of all files.
#[derive(Clone, Copy)]
struct GrantScope<'l> {
    loaded: &'l LoadedFiles,
    /// Set if only managed files allow domains.
    only_managed: bool,
}

impl GrantScope<'_> {
    /// Adds the settings of one file.
    fn add(self, sheet: &GrantSheet, part: &Part<'_>, grant: &mut SandboxGrant) {
        let paths = |at: &Option<At<Vec<String>>>| -> Vec<PathBuf> {
            let texts = at.iter().flat_map(|at| &at.value);
            texts.map(|text| absolute(text, &part.layer.anchor, self.loaded)).collect()
        };
        let is_on = |at: &Option<At<bool>>| at.as_ref().is_some_and(|at| at.value);
        grant.deny_read.extend(paths(&sheet.deny_read));
        grant.deny_write.extend(paths(&sheet.deny_write));
        grant.denied_domains.extend(sheet.denied_domains.iter().flat_map(|at| at.value.iter().cloned()));
        if let Some(at) = sheet.unread {
            grant.unread.get_or_insert_with(|| part.report.location(at).to_string());
        }
        if !is_of_the_user(&part.layer.source) {
            return;
        }
        grant.allow_read.extend(paths(&sheet.allow_read));
        grant.allow_write.extend(paths(&sheet.allow_write));
        grant.unix_sockets |= is_on(&sheet.unix_sockets);
        grant.local_binding |= is_on(&sheet.local_binding);
        if !self.only_managed || part.layer.source == Source::Policy {
            grant.allowed_domains.extend(sheet.domains.iter().flat_map(|at| at.value.iter().cloned()));
        }
    }
}

/// Returns the absolute path: `~` is the home directory, a relative path starts where paths in the file's rules start.
fn absolute(text: &str, anchor: &Path, loaded: &LoadedFiles) -> PathBuf {
    let home = loaded.request.environment.home();
    match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        (Some(_) | None, Some(_) | None) => anchor.join(text),
    }
}

/// Reports settings without effect, or with another effect than their author expects.
fn warn(part: &mut Part<'_>) {
    let is_trusted = is_of_the_user(&part.layer.source);
    let SandboxSheet { enabled, contains_plugins, excluded, lines, plugins } = sheet(part).clone();
    let grants = std::iter::once(&lines).chain(plugins.iter().map(|(_, grant)| grant));
    let mut ignored = Vec::new();
    for grant in grants {
        if !is_trusted {
            let granted = [
                ("allowRead", grant.allow_read.as_ref().map(|at| at.span)),
                ("allowWrite", grant.allow_write.as_ref().map(|at| at.span)),
                ("allowedDomains", grant.domains.as_ref().map(|at| at.span)),
                ("allowLocalBinding", grant.local_binding.as_ref().filter(|at| at.value).map(|at| at.span)),
                ("allowAllUnixSockets", grant.unix_sockets.as_ref().filter(|at| at.value).map(|at| at.span)),
            ];
            ignored.extend(granted.into_iter().filter_map(|(key, at)| Some((key, at?))));
        }
        if let Some(at) = grant.managed_domains_only.as_ref().filter(|_| part.layer.source != Source::Policy)
        {
            let message = "`allowManagedDomainsOnly` has an effect in managed settings only";
            part.report.warning(at.span, "setting-without-effect", message.to_owned()).rule("E5");
        }
    }
    for grant in plugins.iter().map(|(_, grant)| grant) {
        let names_domains = |at: &&At<Vec<String>>| is_trusted && at.value.iter().any(|domain| domain != "*");
        if let Some(at) = grant.domains.as_ref().filter(names_domains) {
            let message =
                "single domains open nothing for the hooks of plugins: only `\"*\"` opens the network";
            part.report.warning(at.span, "setting-without-effect", message.to_owned()).rule("E5");
        }
    }
    if !is_trusted {
        let off = |at: &Option<At<bool>>| at.as_ref().filter(|at| !at.value).map(|at| at.span);
        let excluded = excluded.filter(|at| !at.value.is_empty());
        ignored.extend(excluded.map(|at| ("excludedCommands", at.span)));
        ignored.extend(off(&enabled).map(|at| ("enabled", at)));
        ignored.extend(off(&contains_plugins).map(|at| ("pluginHooks", at)));
    }
    // One finding names all of them.
    ignored.sort_by_key(|(_, at)| at.start);
    let Some((_, first)) = ignored.first() else { return };
    let mut keys: Vec<String> = Vec::new();
    for (key, _) in &ignored {
        let key = format!("`{key}`");
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let message = match keys.as_slice() {
        [key] => format!("{key} can only grant rights in {OF_THE_USER}; here it is ignored"),
        keys => format!("{} can only grant rights in {OF_THE_USER}; here they are ignored", keys.join(", ")),
    };
    part.report.warning(*first, "setting-without-effect", message).rule("E5");
}
