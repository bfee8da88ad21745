//! What a user writes about MCP servers, `{"mcpServers": {"name": {"command": …}}}`, and what becomes of it.
//!
//! - `file` reads the whole text; only a text that is no such JSON fails as a whole.
//! - `entry` reads one server; what is wrong with it is its own error, and the others stay usable.
//! - `expand` fills `${VAR}` and `${VAR:-default}`.
//!
//! It refuses to read files or the environment, and to drop a server in silence.

mod entry;
mod error;
mod expand;
mod file;
mod pairs;
mod place;

pub use entry::ServerConfig;
pub use error::{ConfigError, ServerConfigError};
pub use file::{Configured, read};
pub use place::Place;
