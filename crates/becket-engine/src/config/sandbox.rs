//! The settings `sandbox` and `pluginHooks` of a configuration: rights that command lines and hooks of plugins have (E5).
//!
//! Paths are as they are written, made absolute. What they mean on this system (links, paths that are missing) is found
//! when something is started.

use becket_model::{NetworkRights, Rights};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The rights that a configuration grants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sandbox {
    /// The grant of command lines; `None`: they have all rights.
    pub lines: Option<SandboxGrant>,
    /// Set if the hooks of plugins are contained.
    pub contains_plugins: bool,
    /// The grants of contained hooks beyond the usual ones, by the full ids of their plugins.
    pub plugins: BTreeMap<Arc<str>, SandboxGrant>,
}

/// Paths and network that are granted, and paths that are denied inside of them.
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
    /// The network.
    pub network: NetworkRights,
    /// Set if single domains are denied, which can't be enforced.
    pub(crate) has_denied_domains: bool,
    /// The place of a restriction that can't be read, with its file: nothing may be started.
    pub unread: Option<String>,
}

impl SandboxGrant {
    /// Closes a network of which a part would have to be closed.
    pub(crate) fn without_denied_domains(mut self) -> Self {
        if self.has_denied_domains && self.network == NetworkRights::All {
            self.network = NetworkRights::Nothing;
        }
        self
    }

    /// Returns all rights to files but those that it denies, and its network.
    ///
    /// # Errors
    /// A restriction can't be read: the reason, with its place.
    pub(crate) fn denied(&self) -> Result<Rights, String> {
        if let Some(place) = &self.unread {
            return Err(format!(
                "`sandbox` in {place} can't be read, so it is not known what has to be denied: repair it"
            ));
        }
        Ok(Rights {
            deny_read: self.deny_read.iter().cloned().collect(),
            deny_write: self.deny_write.iter().cloned().collect(),
            network: self.network,
            ..Rights::default()
        })
    }
}
