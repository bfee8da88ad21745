//! Merges settings: scalars take the value of the highest source, lists add up (C5); a setting that counts only in some
//! files is ignored in others, with a warning.

use super::Part;
use crate::config::audit::{AuditMode, AuditSetting};
use crate::config::hook_budget::HookBudget;
use crate::config::narrowing_list::NarrowingList;
use crate::config::policy::{Policy, is_of_the_user};
use crate::config::raw::{At, Switches};
use crate::config::settings_env::SettingsEnv;
use becket_model::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the precedence of a source for scalars; higher wins (C5).
pub(super) const fn weight(source: &Source) -> Option<u8> {
    match source {
        Source::Policy => Some(5),
        Source::Flag => Some(4),
        Source::Local => Some(3),
        Source::Project => Some(2),
        Source::User => Some(1),
        Source::Plugin(_) | Source::Skill(_) | Source::Agent(_) | Source::Callback | Source::Function => None,
    }
}

/// Returns the parts whose settings count, the weakest first; of equal ones the later wins.
pub(super) fn by_weight<'p, 'l>(parts: &'p [Part<'l>]) -> Vec<&'p Part<'l>> {
    let mut parts: Vec<&Part<'l>> =
        parts.iter().filter(|part| weight(&part.layer.source).is_some()).collect();
    parts.sort_by_key(|part| weight(&part.layer.source));
    parts
}

/// The suffixes of ids of plugins that are found by their directory.
const DIRECTORY_IDS: [&str; 2] = ["@inline", "@skills-dir"];

/// Returns the switches of the whole configuration.
pub(super) fn policy(parts: &mut [Part<'_>], strict: bool) -> Policy {
    warn_of_foreign_switches(parts);
    let ordered = by_weight(parts);
    let managed: Vec<&Switches> =
        ordered.iter().filter(|p| is_managed(p)).map(|p| &p.sheet.switches).collect();
    let trusted: Vec<&Switches> =
        ordered.iter().filter(|p| is_of_the_user(&p.layer.source)).map(|p| &p.sheet.switches).collect();
    let may_keep = ordered.iter().filter(|part| may_keep_processes(&part.layer.source));
    let may_keep: Vec<&Switches> = may_keep.map(|part| &part.sheet.switches).collect();
    let disabled = ordered
        .iter()
        .rev()
        // Whoever can write into a folder could otherwise switch off the guards of everyone else.
        .filter(|part| !part.layer.is_untrusted)
        .find_map(|part| Some((&part.layer.source, part.sheet.switches.disable_all_hooks.as_ref()?.value)));
    Policy {
        disable_all_hooks: last(&managed, |s| s.disable_all_hooks.as_ref()).unwrap_or(false),
        disabled_by: match disabled {
            Some((source, true)) if *source != Source::Policy => Some(source.clone()),
            Some(_) | None => None,
        },
        disabled_folders: disabled_folders(&ordered),
        managed_only: last(&managed, |s| s.managed_only.as_ref()).unwrap_or(false),
        plugin_only_hooks: last(&managed, |s| s.plugin_only_hooks.as_ref()).unwrap_or(false),
        forced_plugins: forced_plugins(&managed),
        strict_config: strict || last(&managed, |s| s.strict_config.as_ref()).unwrap_or(false),
        fail_closed: last(&managed, |s| s.fail_closed.as_ref()).unwrap_or(false),
        allowed_http_hook_urls: narrowing(&ordered, |s| s.http_urls.as_ref()),
        http_hook_allowed_env_vars: narrowing(&ordered, |s| s.http_env_vars.as_ref()),
        http_hook_allowed_networks: trusted
            .iter()
            .filter_map(|switches| switches.http_networks.as_ref())
            .flat_map(|networks| networks.value.iter().copied())
            .collect(),
        http_hook_loopback: last(&managed, |s| s.http_loopback.as_ref()).unwrap_or(true),
        http_hook_proxy: last(&trusted, |s| s.http_proxy.as_ref()).unwrap_or(false),
        keep_processes: may_keep
            .iter()
            .filter_map(|switches| switches.keep_processes.as_ref())
            .flat_map(|names| names.value.iter().cloned())
            .collect(),
        exec_text_only: exec_text_only(&ordered, &trusted),
        exec_denial_ends_line: ordered
            .iter()
            .any(|part| part.sheet.switches.exec.end_line.as_ref().is_some_and(|at| at.value)),
        hook_budget: hook_budget(&ordered),
        output_style: ordered
            .iter()
            .rev()
            .find_map(|part| part.sheet.switches.output_style.as_ref())
            .map(|at| at.value.clone()),
        audit: audit(&ordered),
        bypass_permissions_disabled: ordered.iter().any(|part| part.sheet.permissions.bypass_disabled),
    }
}

/// Returns the plugins that managed settings switch on; of two values for one plugin the later counts.
fn forced_plugins(managed: &[&Switches]) -> BTreeSet<Arc<str>> {
    let plugins = managed.iter().flat_map(|switches| &switches.plugins);
    let forced: BTreeMap<&str, bool> = plugins.map(|(id, on)| (id.as_str(), *on)).collect();
    // Any directory can have that id, so no policy can refer to a certain plugin by it.
    let is_of_directory = |id: &str| DIRECTORY_IDS.iter().any(|end| id.ends_with(end));
    let forced = forced.into_iter().filter(|(id, on)| *on && !is_of_directory(id));
    forced.map(|(id, _)| Arc::from(id)).collect()
}

/// Returns the folders without trust that switch their own hooks off.
fn disabled_folders(ordered: &[&Part<'_>]) -> BTreeSet<PathBuf> {
    let mut folders: BTreeMap<&Path, bool> = BTreeMap::new();
    for part in ordered.iter().filter(|part| part.layer.is_untrusted) {
        if let Some(disabled) = &part.sheet.switches.disable_all_hooks {
            folders.insert(&part.layer.anchor, disabled.value);
        }
    }
    let disabled = folders.into_iter().filter(|(_, is_disabled)| *is_disabled);
    disabled.map(|(folder, _)| folder.to_owned()).collect()
}

/// Joins the budgets of all files: the budget of a stronger file for all events replaces those of weaker ones for
/// single events.
fn hook_budget(ordered: &[&Part<'_>]) -> HookBudget {
    let mut joined = HookBudget::default();
    for budget in ordered.iter().map(|part| &part.sheet.switches.hook_budget) {
        if budget.all.is_some() {
            joined = HookBudget { all: budget.all, ..HookBudget::default() };
        }
        joined.events.extend(&budget.events);
    }
    joined
}

/// Returns the audit log of the strongest file that can't come with a repository. Only a managed one can require it.
fn audit(ordered: &[&Part<'_>]) -> AuditSetting {
    let strongest = ordered
        .iter()
        .rev()
        .filter(|part| is_of_the_user(&part.layer.source))
        .find_map(|part| Some((*part, part.sheet.switches.audit.as_ref()?.value.clone())));
    match strongest {
        Some((part, setting)) if !is_managed(part) => {
            AuditSetting { mode: setting.mode.min(AuditMode::On), ..setting }
        }
        Some((_, setting)) => setting,
        None => AuditSetting::default(),
    }
}

/// Returns whether the text of lines decides alone (E2): the files of a repository can only forbid it.
fn exec_text_only(all: &[&Part<'_>], trusted: &[&Switches]) -> bool {
    let says = |part: &Part<'_>, value: bool| {
        part.sheet.switches.exec.text_only.as_ref().is_some_and(|at| at.value == value)
    };
    let of_others = all.iter().filter(|part| !is_of_the_user(&part.layer.source));
    let is_forbidden = of_others.into_iter().any(|part| says(part, false));
    !is_forbidden && last(trusted, |switches| switches.exec.text_only.as_ref()).unwrap_or(false)
}

/// Returns whether a file may exempt programs from ending with the line that has started them (E7).
fn may_keep_processes(source: &Source) -> bool {
    match source {
        Source::Policy | Source::User => true,
        Source::Project
        | Source::Local
        | Source::Flag
        | Source::Plugin(_)
        | Source::Skill(_)
        | Source::Agent(_)
        | Source::Callback
        | Source::Function => false,
    }
}

fn is_managed(part: &Part<'_>) -> bool {
    part.layer.source == Source::Policy
}

fn last<'s>(switches: &[&'s Switches], get: impl Fn(&'s Switches) -> Option<&'s At<bool>>) -> Option<bool> {
    switches.iter().rev().find_map(|switches| get(switches)).map(|at| at.value)
}

/// Collects the lists of all files, except that of a folder without trust, which does not count (G2, H5).
fn narrowing<'p>(
    parts: &[&'p Part<'_>],
    get: impl Fn(&'p Switches) -> Option<&'p At<Vec<String>>>,
) -> NarrowingList<Vec<String>> {
    let trusted = parts.iter().filter(|part| !part.layer.is_untrusted);
    NarrowingList::new(
        trusted.filter_map(|part| Some((&part.layer.source, get(&part.sheet.switches)?.value.clone()))),
    )
}

/// Warns about settings that count only in managed files, or only in files that can't come with a repository.
fn warn_of_foreign_switches(parts: &mut [Part<'_>]) {
    for part in parts {
        let source = part.layer.source.clone();
        let switches = &part.sheet.switches;
        let managed_only = [
            ("allowManagedHooksOnly", switches.managed_only.as_ref()),
            ("strictPluginOnlyCustomization", switches.plugin_only_hooks.as_ref()),
            ("strictConfig", switches.strict_config.as_ref()),
            ("failClosed", switches.fail_closed.as_ref()),
            ("httpHookLoopback", switches.http_loopback.as_ref()),
        ];
        let helper = ("policyHelper", part.sheet.policy_helper, "managed settings");
        let trusted_only = [
            ("httpHookProxy", switches.http_proxy.as_ref().map(|at| at.span)),
            ("httpHookAllowedNetworks", switches.http_networks.as_ref().map(|at| at.span)),
            ("audit", switches.audit.as_ref().map(|at| at.span)),
            ("exec", switches.exec.text_only.as_ref().filter(|at| at.value).map(|at| at.span)),
        ];
        let managed_only = managed_only.map(|(key, at)| (key, at.map(|at| at.span), "managed settings"));
        let required = switches.audit.as_ref().filter(|at| at.value.mode == AuditMode::Required);
        let required =
            required.filter(|_| source != Source::Policy && is_of_the_user(&source)).map(|at| at.span);
        let kept = switches.keep_processes.as_ref().filter(|_| !may_keep_processes(&source));
        let kept = kept.map(|at| ("keepProcesses", Some(at.span), "managed settings and the user's"));
        let trusted_only = trusted_only
            .map(|(key, at)| (key, at, "managed settings, the user's and those of the command line"));
        let foreign = managed_only
            .into_iter()
            .chain([helper])
            .filter(|_| source != Source::Policy)
            .chain(trusted_only.into_iter().filter(|_| !is_of_the_user(&source)))
            .chain(kept);
        if let Some(at) = required {
            let message = "only managed settings can require the audit log; here it counts as `on`";
            part.report.warning(at, "setting-without-effect", message).rule("C5");
        }
        for (key, at, where_it_counts) in foreign {
            if let Some(at) = at {
                let message = format!("`{key}` counts in {where_it_counts} only; here it is ignored");
                part.report.warning(at, "setting-without-effect", message).rule("C5");
            }
        }
    }
}

/// Returns the variables for hooks; those of a folder that is not trusted are ignored (H3).
pub(super) fn environment(parts: &[Part<'_>]) -> SettingsEnv {
    let mut env = SettingsEnv::default();
    for part in by_weight(parts).into_iter().filter(|part| !part.layer.is_untrusted) {
        let variables = part.sheet.env.iter().map(|variable| (variable.name.clone(), variable.value.clone()));
        env.push(&part.layer.source, variables.collect());
    }
    env
}
