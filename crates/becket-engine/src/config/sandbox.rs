//! The settings `sandbox` and `pluginHooks` of a configuration: the rights of command lines and of plugins' hooks (E5).
//!
//! Paths are as they are written, made absolute. Links and missing paths are resolved when something is started.

use becket_model::{DomainRights, NetworkRights, Rights};
use becket_rules::EndpointPattern;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The rights that a configuration grants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sandbox {
    /// The grant of command lines; `None` if they have all rights.
    pub lines: Option<SandboxGrant>,
    /// Patterns of commands, as in rules for Bash: lines of these alone have all rights.
    pub excluded_commands: Vec<String>,
    /// Set if the hooks of plugins are contained.
    pub contains_plugins: bool,
    /// The grants of contained hooks beyond the usual ones, by the full ids of their plugins.
    pub plugins: BTreeMap<Arc<str>, SandboxGrant>,
}

/// Paths and network that are granted, and paths inside them that are denied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SandboxGrant {
    /// Directories and files that can be read, beyond the usual ones.
    pub allow_read: Vec<PathBuf>,
    /// Directories and files that can be written, beyond the usual ones.
    pub allow_write: Vec<PathBuf>,
    /// Directories and files that can't be read or written.
    pub deny_read: Vec<PathBuf>,
    /// Directories and files that can't be written.
    pub deny_write: Vec<PathBuf>,
    /// Hosts of the internet that can be reached: entries as [`becket_rules::EndpointPattern`] reads them.
    pub allowed_domains: BTreeSet<String>,
    /// Hosts that can't be reached, whatever is allowed.
    pub denied_domains: BTreeSet<String>,
    /// Set if sockets of this machine (`AF_UNIX`) can be opened.
    pub unix_sockets: bool,
    /// Set if programs can listen and connect to each other on the loopback addresses of a network of their own.
    pub local_binding: bool,
    /// The place of a restriction that can't be read, with its file: nothing may be started.
    pub unread: Option<String>,
}

impl SandboxGrant {
    /// Returns the network that it grants.
    #[must_use]
    pub fn network(&self) -> NetworkRights {
        let is_everything =
            |text: &String| text.parse::<EndpointPattern>().is_ok_and(|pattern| pattern.is_everything());
        if self.denied_domains.is_empty() && self.allowed_domains.iter().any(is_everything) {
            NetworkRights::All
        } else if self.allowed_domains.is_empty() && !self.local_binding {
            if self.unix_sockets { NetworkRights::Local } else { NetworkRights::Nothing }
        } else {
            NetworkRights::Domains(DomainRights {
                allowed: BTreeSet::from([self.allowed_domains.clone()]),
                denied: self.denied_domains.clone(),
                unix_sockets: self.unix_sockets,
            })
        }
    }

    /// Returns all rights to files except those that it denies, and its network.
    ///
    /// # Errors
    /// Errors if a restriction can't be read: the reason, with its place.
    pub(crate) fn denied(&self) -> Result<Rights, String> {
        if let Some(place) = &self.unread {
            return Err(format!(
                "`sandbox` in {place} can't be read, so it is not known what has to be denied: repair it"
            ));
        }
        Ok(Rights {
            deny_read: self.deny_read.iter().cloned().collect(),
            deny_write: self.deny_write.iter().cloned().collect(),
            network: self.network(),
            ..Rights::default()
        })
    }
}
