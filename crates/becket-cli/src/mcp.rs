//! MCP servers of a configuration: which files name them, what their user has let in, and the pool that connects them.

mod files;
mod pool;
mod scope_file;
mod server_set;

pub(crate) use pool::{HostServers, Keep, pool, pool_that_keeps, pool_with, tools_of};
pub(crate) use scope_file::{ScopeFile, scope_file};
pub(crate) use server_set::{ServerSet, approvals};
