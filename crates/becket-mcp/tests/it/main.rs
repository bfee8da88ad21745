//! Integration tests of the MCP client, in one binary: a crate is linked once for all of them.

#[cfg(unix)]
mod auth;
mod calls;
mod common;
mod config;
mod config_edit;
mod config_laws;
mod config_layers;
mod connecting;
mod elicitation;
#[cfg(target_os = "linux")]
mod end_to_end;
#[cfg(target_os = "linux")]
mod in_process;
#[cfg(all(feature = "keyring", target_os = "linux"))]
mod keyring;
mod lists;
mod names;
mod pool;
#[cfg(unix)]
mod pool_step_up;
mod real_servers;
mod real_servers_host;
mod real_servers_remote;
