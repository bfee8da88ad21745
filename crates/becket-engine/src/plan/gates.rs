//! The gates before planning: switches, policy and trust (G1–G3), and the URLs that may be posted to (H5). One check
//! for every event and source.

use crate::config::allowed_urls::AllowedUrls;
use crate::config::handler::{Action, Handler};
use crate::config::narrowing_list::NarrowingList;
use crate::config::nesting::{is_registration, runs_becket};
use crate::config::{Policy, Trust};
use crate::plan::skip::{SkipReason, URL_NOT_ALLOWED};
use becket_model::{OnFailure, Source};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The way in which the host was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Normally, with everything.
    #[default]
    Normal,
    /// Bare: only the hooks of the command line and the host.
    Bare,
    /// Safe mode: only managed hooks.
    Safe,
}

/// The settings that decide whether a handler may run, whatever the event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gates {
    /// Managed `disableAllHooks: true` (G1).
    pub policy_disables_all: bool,
    /// The source whose `disableAllHooks: true` is in force (G2).
    pub disabled_by: Option<Source>,
    /// Folders without trust whose own `disableAllHooks: true` is in force (G2).
    pub disabled_folders: BTreeSet<PathBuf>,
    /// Managed `allowManagedHooksOnly: true` (G2).
    pub managed_only: bool,
    /// Managed `strictPluginOnlyCustomization` that names `hooks` (G2).
    pub plugin_only: bool,
    /// Plugins that the policy force-enables, by full id (G2).
    pub forced_plugins: BTreeSet<Arc<str>>,
    /// The URLs that may be posted to (H5).
    pub(crate) allowed_urls: NarrowingList<AllowedUrls>,
    /// The way in which the host was started (G2).
    pub start: Start,
    /// The facts about trust in the workspace (G3).
    pub trust: Trust,
    /// The profile of these hooks: a handler that runs Becket on the hooks of the same profile does not run (H14).
    pub(crate) profile: Option<Arc<str>>,
}

impl Gates {
    /// Creates the gates of a configuration and a start.
    pub(crate) fn new(policy: &Policy, start: Start, trust: Trust) -> Self {
        Gates {
            policy_disables_all: policy.disable_all_hooks,
            disabled_by: policy.disabled_by.clone(),
            disabled_folders: policy.disabled_folders.clone(),
            managed_only: policy.managed_only,
            plugin_only: policy.plugin_only_hooks,
            forced_plugins: policy.forced_plugins.clone(),
            allowed_urls: policy.allowed_http_hook_urls.map(|list| AllowedUrls::new(list)),
            start,
            trust,
            profile: None,
        }
    }

    /// Returns the same gates for the hooks of a profile.
    pub(crate) fn of_profile(self, name: &str) -> Self {
        Gates { profile: Some(name.into()), ..self }
    }

    /// Returns the reason why the handler does not run although its event fires, or `None` if it runs. One whose
    /// failure could block runs even if its URL is closed, and fails ([`Gates::fails`]): what it guards must not pass
    /// unchecked in silence (H5).
    pub fn closed_to(&self, handler: &Handler) -> Option<SkipReason> {
        let is_guard = || OnFailure::Block.closes(handler.event.spec());
        self.closed_for(&handler.place.source)
            .or_else(|| self.closed_by_folder(handler))
            .or_else(|| self.closed_to_becket(handler))
            .or_else(|| (self.is_closed_to_url(handler) && !is_guard()).then_some(SkipReason::UrlNotAllowed))
    }

    fn closed_by_folder(&self, handler: &Handler) -> Option<SkipReason> {
        let by = &handler.place.source;
        let is_disabled =
            matches!(by, Source::Project | Source::Local) && self.disabled_folders.contains(&handler.anchor);
        is_disabled.then(|| SkipReason::Disabled { by: by.clone() })
    }

    /// Returns the reason why a handler that runs can only fail, if that is known before it runs.
    pub fn fails(&self, handler: &Handler) -> Option<&'static str> {
        self.is_closed_to_url(handler).then_some(URL_NOT_ALLOWED)
    }

    /// Returns whether the URL of a handler may not be posted to.
    pub(crate) fn is_closed_to_url(&self, handler: &Handler) -> bool {
        match &handler.action {
            Action::Http(http) => {
                !self.allowed_urls.allows(&handler.place.source, |list| list.allows(&http.url))
            }
            Action::Command(_)
            | Action::McpTool(_)
            | Action::Prompt(_)
            | Action::Agent(_)
            | Action::Callback(_) => false,
        }
    }

    fn closed_to_becket(&self, handler: &Handler) -> Option<SkipReason> {
        let profile = self.profile.as_deref()?;
        let is_becket = is_registration(&handler.action) || runs_becket(&handler.action, profile);
        is_becket.then_some(SkipReason::RunsBecket)
    }

    /// Returns the reason why no handler of `source` may run, or `None` if it may.
    pub(crate) fn closed_for(&self, source: &Source) -> Option<SkipReason> {
        if self.policy_disables_all {
            return Some(SkipReason::DisabledByPolicy);
        }
        if let Some(by) = &self.disabled_by
            && !self.outlives_a_switch(source)
        {
            return Some(SkipReason::Disabled { by: by.clone() });
        }
        if self.managed_only && !self.outlives_a_switch(source) {
            return Some(SkipReason::ManagedOnly);
        }
        if self.plugin_only && matches!(source, Source::User | Source::Project | Source::Local) {
            return Some(SkipReason::PluginsOnly);
        }
        if let Some(why) = self.closed_by_start(source) {
            return Some(why);
        }
        (!self.trust.lets_hooks_run()).then_some(SkipReason::Untrusted)
    }

    /// Returns whether handlers of a source ignore the switch: managed ones, host callbacks, and those of force-enabled
    /// plugins.
    fn outlives_a_switch(&self, source: &Source) -> bool {
        match source {
            Source::Policy | Source::Callback => true,
            Source::Plugin(plugin) => self.forced_plugins.contains(&plugin.id),
            Source::User
            | Source::Project
            | Source::Local
            | Source::Skill(_)
            | Source::Agent(_)
            | Source::Function
            | Source::Flag => false,
        }
    }

    fn closed_by_start(&self, source: &Source) -> Option<SkipReason> {
        match self.start {
            Start::Normal => None,
            Start::Bare => (!matches!(source, Source::Flag | Source::Callback)).then_some(SkipReason::Bare),
            Start::Safe => (*source != Source::Policy).then_some(SkipReason::SafeMode),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources() -> Vec<Source> {
        let plugin = |id: &str| Source::Plugin(id.into());
        vec![
            Source::Policy,
            Source::User,
            Source::Project,
            Source::Local,
            plugin("kept@market"),
            plugin("other@market"),
            Source::Skill("s".into()),
            Source::Agent("a".into()),
            Source::Callback,
            Source::Function,
            Source::Flag,
        ]
    }

    fn open(gates: &Gates) -> Vec<String> {
        sources()
            .iter()
            .filter(|source| gates.closed_for(source).is_none())
            .map(ToString::to_string)
            .collect()
    }

    fn forced() -> Gates {
        Gates { forced_plugins: [Arc::from("kept@market")].into(), ..Gates::default() }
    }

    #[test]
    fn nothing_is_closed_by_default() {
        assert_eq!(open(&Gates::default()).len(), sources().len());
    }

    #[test]
    fn a_managed_switch_stops_even_managed_hooks() {
        // rule: G1
        let gates = Gates { policy_disables_all: true, ..forced() };
        assert_eq!(open(&gates), Vec::<String>::new());
        assert_eq!(gates.closed_for(&Source::Policy), Some(SkipReason::DisabledByPolicy));
    }

    #[test]
    fn another_switch_leaves_policy_callbacks_and_forced_plugins() {
        // rule: G2
        let kept = ["policy", "plugin:kept", "callback"];
        assert_eq!(open(&Gates { disabled_by: Some(Source::User), ..forced() }), kept);
        assert_eq!(open(&Gates { managed_only: true, ..forced() }), kept);
    }

    #[test]
    fn a_plugin_is_forced_by_its_id_whatever_it_is_called() {
        // rule: G2
        let named = |id: &str| {
            Source::Plugin(becket_model::PluginSource { id: id.into(), name: "kept@market".into() })
        };
        let gates = Gates { managed_only: true, ..forced() };
        assert_eq!(gates.closed_for(&named("kept@market")), None);
        assert_eq!(gates.closed_for(&named("other@market")), Some(SkipReason::ManagedOnly));
    }

    #[test]
    fn plugin_only_customization_stops_the_three_kinds_of_settings() {
        // rule: G2
        let closed = open(&Gates { plugin_only: true, ..Gates::default() });
        assert!(!closed.iter().any(|source| ["user", "project", "local"].contains(&source.as_str())));
        assert_eq!(closed.len(), sources().len() - 3);
    }

    #[test]
    fn bare_and_safe_starts_leave_what_they_say() {
        // rule: G2
        assert_eq!(open(&Gates { start: Start::Bare, ..forced() }), ["callback", "flag"]);
        assert_eq!(open(&Gates { start: Start::Safe, ..forced() }), ["policy"]);
    }

    #[test]
    fn an_untrusted_workspace_runs_nothing_at_all() {
        // rule: G3
        let trust = Trust::default().interactive(true).trusted(false).this_folder_trusted(false);
        let gates = Gates { trust, ..forced() };
        assert_eq!(open(&gates), Vec::<String>::new());
        assert_eq!(gates.closed_for(&Source::Policy), Some(SkipReason::Untrusted));
        let nobody_there = trust.interactive(false);
        assert_eq!(open(&Gates { trust: nobody_there, ..forced() }).len(), sources().len());
    }
}
