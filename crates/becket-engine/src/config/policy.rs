//! The switches and limits of a configuration after C5, and the sources that may set them.

use super::audit::AuditSetting;
use super::hook_budget::HookBudget;
use super::narrowing_list::NarrowingList;
use super::url::{self, Host};
use becket_base::address::{AddressClass, Network};
use becket_model::Source;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// The policy for all hooks of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Managed `disableAllHooks: true`: nothing runs (G1).
    pub disable_all_hooks: bool,
    /// The other source whose `disableAllHooks: true` is in force (G2).
    pub disabled_by: Option<Source>,
    /// Folders without trust whose own `disableAllHooks: true` is in force, for their own hooks alone (G2).
    pub disabled_folders: BTreeSet<PathBuf>,
    /// Managed `allowManagedHooksOnly: true` (G2).
    pub managed_only: bool,
    /// Managed `strictPluginOnlyCustomization` that names `hooks` (G2).
    pub plugin_only_hooks: bool,
    /// Plugins that a managed file enables, by full id (G2).
    pub forced_plugins: BTreeSet<Arc<str>>,
    /// Set if any configuration error stops the start (C7).
    pub strict_config: bool,
    /// Managed `failClosed: true`: every failure blocks (O10).
    pub fail_closed: bool,
    /// The only URLs that HTTP handlers may post to; without a list, any (H5).
    pub allowed_http_hook_urls: NarrowingList<Vec<String>>,
    /// The only variables that header values may name; without a list, those of the handler (H5).
    pub http_hook_allowed_env_vars: NarrowingList<Vec<String>>,
    /// Private networks that handlers of every source may reach (S1).
    pub http_hook_allowed_networks: Vec<Network>,
    /// Set if HTTP handlers may reach this machine (S1).
    pub http_hook_loopback: bool,
    /// Set if proxies from the environment are used (S2).
    pub http_hook_proxy: bool,
    /// Programs that continue after the command line that has started them (E7).
    pub keep_processes: Arc<[String]>,
    /// Set if the rules for Bash apply to the text of a line alone, and not to the programs that it executes (E2).
    pub exec_text_only: bool,
    /// Set if the denial of a program ends the line that has started it (E3).
    pub exec_denial_ends_line: bool,
    /// The time that hooks may take, for reports.
    pub hook_budget: HookBudget,
    /// The name of the output style, which hosts add to their system prompt.
    pub output_style: Option<String>,
    /// The audit log of verdicts.
    pub audit: AuditSetting,
    /// Set if some file forbids the mode `bypassPermissions` (P13).
    pub bypass_permissions_disabled: bool,
}

impl Default for Policy {
    /// Returns the policy without any setting.
    fn default() -> Self {
        Policy {
            disable_all_hooks: false,
            disabled_by: None,
            disabled_folders: BTreeSet::new(),
            managed_only: false,
            plugin_only_hooks: false,
            forced_plugins: BTreeSet::new(),
            strict_config: false,
            fail_closed: false,
            allowed_http_hook_urls: NarrowingList::default(),
            http_hook_allowed_env_vars: NarrowingList::default(),
            http_hook_allowed_networks: Vec::new(),
            http_hook_loopback: true,
            http_hook_proxy: false,
            keep_processes: Arc::default(),
            exec_text_only: false,
            exec_denial_ends_line: false,
            hook_budget: HookBudget::default(),
            output_style: None,
            audit: AuditSetting::default(),
            bypass_permissions_disabled: false,
        }
    }
}

/// The reason why an address can't be posted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The class of the address, lowercase.
    pub message: &'static str,
    /// A way to allow it, if there is one.
    pub help: Option<&'static str>,
}

impl Policy {
    /// Returns the reason why a handler of `source` may not post to a URL whose host is a literal address, or `None` if
    /// it may (S1). Names are checked when they are resolved.
    pub(crate) fn refuses(&self, url: &str, source: &Source) -> Option<Refusal> {
        self.reach(source).refuses_host(&url::host(url).ok()?)
    }

    /// Returns the addresses that handlers of `source` may post to.
    pub(crate) fn reach(&self, source: &Source) -> Reach {
        let every_network = is_of_the_user(source);
        // If every private network is allowed, the list adds nothing.
        let networks = if every_network { Vec::new() } else { self.http_hook_allowed_networks.clone() };
        Reach { loopback: self.http_hook_loopback, every_network, networks }
    }
}

/// The addresses that the handlers of a source may post to (S1). Two that are equal allow and refuse the same
/// addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reach {
    loopback: bool,
    every_network: bool,
    networks: Vec<Network>,
}

impl Reach {
    /// Returns the reason why an address may not be posted to.
    pub(crate) fn refuses_address(&self, address: IpAddr) -> Option<Refusal> {
        match AddressClass::of(address) {
            AddressClass::Public => None,
            AddressClass::Loopback => self.refuses_loopback(),
            AddressClass::Private
                if self.every_network || self.networks.iter().any(|net| net.contains(address)) =>
            {
                None
            }
            AddressClass::Private => Some(Refusal {
                message: "its address is in a private network",
                help: Some("name the network in `httpHookAllowedNetworks` of the user's or managed settings"),
            }),
            AddressClass::Refused => Some(Refusal {
                message: "its address is link-local, reserved or a cloud's metadata service",
                help: None,
            }),
        }
    }

    /// Returns the reason why a host may not be posted to; of names, only `localhost` can be checked before it is
    /// resolved.
    pub(crate) fn refuses_host(&self, host: &Host) -> Option<Refusal> {
        match host {
            Host::Address(address) => self.refuses_address(*address),
            Host::Name(_) if host.is_localhost() => self.refuses_loopback(),
            Host::Name(_) => None,
        }
    }

    fn refuses_loopback(&self) -> Option<Refusal> {
        let refusal = Refusal { message: "managed settings say `httpHookLoopback: false`", help: None };
        (!self.loopback).then_some(refusal)
    }
}

/// Returns whether only a person with that right can write a file: a managed one, the command line, the user's (S1).
pub(crate) fn is_of_the_user(source: &Source) -> bool {
    match source {
        Source::Policy | Source::Flag | Source::User | Source::Callback | Source::Function => true,
        Source::Project | Source::Local | Source::Plugin(_) | Source::Skill(_) | Source::Agent(_) => false,
    }
}
