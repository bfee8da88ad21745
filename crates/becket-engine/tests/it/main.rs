//! Integration tests of the engine, in one binary: a crate is linked once for all of them.

mod adversary;
#[cfg(target_os = "linux")]
mod adversary_hosts;
mod agent;
mod agent_ends;
mod answers;
#[cfg(unix)]
mod background;
#[cfg(unix)]
mod background_registry;
mod call_rights;
mod callbacks;
mod command;
mod common;
mod config;
mod http;
#[cfg(unix)]
mod intercept;
mod mcp_tools;
mod models;
#[cfg(unix)]
mod observation;
mod prompt;
mod prompt_http;
#[cfg(unix)]
mod questions;
mod readme;
#[cfg(unix)]
mod real_model;
mod session;
mod updates;
mod verdict;
#[cfg(unix)]
mod workers;
