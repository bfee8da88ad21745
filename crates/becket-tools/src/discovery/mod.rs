//! The MCP servers of a configuration: the files that name them, the approvals of the user, and the pool that connects
//! them.
//!
//! A host finds them with [`ServerSet::find`], under the same checks for every server (X2): policy, the user's
//! choices, trust in the folder, approvals by content. [`ServerSet::pool`] then connects those that are allowed.

mod error;
mod files;
mod pool;
mod server_set;

pub use error::DiscoveryError;
pub use files::{NamedServers, PROJECT_FILE};
pub use pool::{HostServers, PoolOptions, Storage};
pub use server_set::ServerSet;
