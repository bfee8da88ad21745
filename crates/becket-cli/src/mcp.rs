//! MCP servers of a configuration: the files that name them, the approvals of the user, and the pool that connects
//! them.

mod files;
mod pool;
mod scope_file;
mod server_set;

pub(crate) use pool::{HostServers, Keep, pool, pool_that_keeps, pool_with, tools_of};
pub(crate) use scope_file::{ScopeFile, scope_file};
pub(crate) use server_set::{ServerSet, approvals};
