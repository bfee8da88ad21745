//! MCP servers of a configuration: which files name them, what their user has let in, and the pool that connects them.

mod files;
mod gathered;
mod home;
mod pool;

pub(crate) use gathered::{Gathered, approvals};
pub(crate) use home::{Home, home_of};
pub(crate) use pool::{Keep, Lent, pool, pool_that_keeps, pool_with, tools_of};
