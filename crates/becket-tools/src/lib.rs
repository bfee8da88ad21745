//! The tools of a host: on files, on the web, command lines, and background tasks.
//!
//! Each implements [`becket_engine::Tool`], which only does the work. The engine has already decided whether a call
//! may run, by hooks, rules and the mode, for which a tool reports the effect of a call (`protocol.md` P14).
//!
//! - [`hook_tools`]: Read, Grep, Glob and Bash for the agents of hooks (`protocol.md` H8)
//! - [`file_tools`]: Read, Edit, Write, Glob and Grep for the sessions of a host
//! - [`web_fetch`]: the tool WebFetch
//! - [`mcp`]: the tools of MCP servers, for the model and for hooks (`protocol.md` X5, H6)
//! - [`discovery`]: the MCP servers of a configuration, found in files and connected (`protocol.md` X2)
//! - [`shell`]: the command lines of a session, and its working directory
//! - [`tasks`]: background tasks of a session
//! - [`Surroundings`]: the directories, variables and rules of a host, passed by the host
//!
//! Nothing here reads the environment or looks up a home directory.
//!
//! # The modules, in order
//!
//! A module uses only those above it, which a test checks.

// Paths, and the surroundings of a call.
mod denied;
pub mod places;
mod programs;
mod surroundings;

// Parts shared by tools: tables of fields, work on blocking threads, outputs that are too long.
pub mod blocking;
mod capture;
pub mod opened_file;
pub mod schema;

// The effect of a call, without running it.
pub mod auto_approve;
mod protected;
mod reach;

// The tools.
mod files;
pub mod mcp;
pub mod shell;
pub mod tasks;
pub mod web_fetch;

// The MCP servers that a host finds in files.
pub mod discovery;

// The tools of one kind of host.
mod hook_confinement;
mod hook_standbys;
mod hook_tools;

pub use files::file_tools;
pub use hook_confinement::SystemConfinement;
pub use hook_standbys::SystemStandbys;
pub use hook_tools::{configured_hook_tools, hook_tools};
pub use surroundings::Surroundings;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
