//! The reasons why servers can't be found or connected.

use becket_base::text_file::Unread;
use becket_mcp::InvalidTimeout;
use becket_mcp::config::ConfigError;

/// The reason why no server of a configuration can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiscoveryError {
    /// A file that may deny servers can't be read.
    #[error("{0}")]
    Unread(#[from] Unread),
    /// A file that may deny servers, or that was named explicitly, is malformed.
    #[error("{0}")]
    Malformed(#[from] ConfigError),
    /// The variable with the connection timeout is invalid.
    #[error("{0}")]
    InvalidTimeout(#[from] InvalidTimeout),
}
