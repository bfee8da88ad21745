//! Common parts of the other Becket crates. Nothing here knows hooks, agents or MCP.
//!
//! Always available: [`address`] (classes of internet addresses, networks), [`find_program`] and [`is_executable`],
//! [`is_inside`] and [`is_same_path`], [`panic_message`], [`sse`] (server-sent events), [`suggest`] (the nearest of
//! some names), [`text`] (shortened texts), [`text_file`] (files with a size limit). The rest is behind features, so
//! that crates without I/O stay without it:
//!
//! | feature | modules |
//! |---|---|
//! | `files`, `async-lock` | `private_file`, `file_lock`, `config_file` (files that others edit as well) |
//! | `diff` | `line_diff` |
//! | `json-edit` | `json_edit` |
//! | `json-schema` | `json_schema` |
//! | `secret` | `secret` |
//! | `http` | `http` (bodies, TLS roots, transport errors), `secret` |

pub mod address;
#[cfg(feature = "files")]
pub mod config_file;
#[cfg(feature = "files")]
pub mod file_lock;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "json-edit")]
pub mod json_edit;
#[cfg(feature = "json-schema")]
pub mod json_schema;
#[cfg(feature = "diff")]
pub mod line_diff;
mod panic;
#[cfg(feature = "files")]
pub mod private_file;
mod program;
mod same_path;
#[cfg(feature = "secret")]
pub mod secret;
pub mod sse;
mod suggest;
pub mod text;
pub mod text_file;

pub use panic::panic_message;
pub use program::{find_program, is_executable};
pub use same_path::{is_inside, is_same_path, on_disk};
pub use suggest::suggest;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
