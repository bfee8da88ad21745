//! The MCP servers that `mcp_tool` hooks may call (`protocol.md` H6): those that a host names, and no others.
//!
//! - [`McpConfig`], [`LoadedServers`]: the places that configure servers, and their entries; reading connects nothing
//! - [`ServerPool`]: the connected servers, and the errors of the others
//! - `session_servers`: the servers of one session, connected when a hook calls the first of them, and ended with the
//!   session
//!
//! No file is searched for: a project's own servers are read only if the host names their file. The host decides which servers
//! to trust: only the entry itself is checked.
//!
//! INVARIANT: a started server is ended, regardless of its callers and of how the session ends.

mod mcp_config;
mod server_pool;
mod session_servers;

pub use mcp_config::{LoadedServers, McpConfig, Unusable};
pub use server_pool::ServerPool;
pub(crate) use session_servers::SessionServers;
