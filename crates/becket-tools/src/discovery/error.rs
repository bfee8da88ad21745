//! The reasons why servers can't be found or connected.

use becket_base::text_file::Unread;
use becket_mcp::InvalidTimeout;
use becket_mcp::config::ConfigError;

/// The reason why no server of a configuration may be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiscoveryError {
    /// A file can't be read, which may have denied any of them.
    #[error("{0}")]
    Unread(#[from] Unread),
    /// A file that may deny them is malformed, or one that was named.
    #[error("{0}")]
    Malformed(#[from] ConfigError),
    /// The variable of the time to connect is invalid.
    #[error("{0}")]
    InvalidTimeout(#[from] InvalidTimeout),
}
