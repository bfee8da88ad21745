//! The host's part: the traits that it implements and the values that it passes in.

pub(crate) mod callback;
pub(crate) mod confinement;
#[cfg(feature = "models")]
pub(crate) mod conversation;
pub(crate) mod environment;
pub(crate) mod mcp_tools;
pub(crate) mod names;
pub(crate) mod panic;
pub(crate) mod private_files;
pub(crate) mod profile;
pub(crate) mod questions;
pub(crate) mod real_path;
pub(crate) mod standby;
#[cfg(feature = "models")]
pub(crate) mod tool;
#[cfg_attr(not(feature = "models"), path = "host/no_tools.rs")]
pub(crate) mod tool_set;
