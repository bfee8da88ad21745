//! What a user writes about MCP servers, `{"mcpServers": {"name": {"command": …}}}`, and what becomes of it.
//!
//! - `layer` reads a text; only one that is no such JSON fails as a whole.
//! - `entry` reads one server; what is wrong with it is its own error, and the others stay usable.
//! - `expand` fills `${VAR}` and `${VAR:-default}`.
//! - `server` is what comes out: how a server is reached, with nothing left to look up.
//! - `fingerprint` names contents: for approvals, and for connections that are shared.
//!
//! It refuses to read files or the environment, to drop a server in silence, and to show a value that may be secret.

mod configured;
mod entry;
mod error;
mod expand;
mod fingerprint;
mod layer;
mod members;
mod name;
mod pairs;
mod place;
mod scope;
mod server;
mod status;
mod warning;

pub use configured::{Configured, read};
pub use error::{ConfigError, ServerConfigError};
pub use fingerprint::{ConfigKey, Fingerprint};
pub use layer::{Layer, read_file};
pub use name::ServerName;
pub use place::Place;
pub use scope::Scope;
pub use server::{Ide, OAuth, Proxy, Remote, ServerConfig, Stdio, Tls, Transport};
pub use status::{Disabled, PolicyReason, Status};
pub use warning::ServerWarning;
