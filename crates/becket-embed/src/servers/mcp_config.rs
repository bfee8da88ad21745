//! The places that configure servers, and their entries.
//!
//! Only the named file is read, and nothing is connected. A problem with one server is that server's error: its callers
//! receive it, and the others can be used.

use becket_base::text_file::{self, Unread};
use becket_engine::Environment;
use becket_mcp::config::{self, ConfigError};
use becket_mcp::{InvalidTimeout, Options};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The key of the servers in a file.
const KEY: &str = "mcpServers";
/// The position of servers without a file, for error messages.
const HERE: &str = "mcp_servers";

/// The configuration of MCP servers.
#[derive(Debug, Clone)]
pub enum McpConfig {
    /// A file like `.mcp.json`, by its absolute path.
    File(PathBuf),
    /// Inline, by their names; or as in such a file, under `mcpServers` and without other keys.
    Inline(Map<String, Value>),
}

/// An error that keeps all of the configured servers from being used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// Their file can't be read.
    #[error("{0}")]
    Unread(#[from] Unread),
    /// It is not JSON, or does not name any servers.
    #[error("{0}")]
    NoServers(#[from] ConfigError),
    /// The variable of the time to connect is invalid.
    #[error("{0}")]
    InvalidTimeout(#[from] InvalidTimeout),
}

/// Servers that were read.
#[derive(Debug)]
pub struct LoadedServers {
    pub(super) servers: Vec<config::ConfiguredServer>,
    pub(super) options: Options,
}

impl LoadedServers {
    /// Reads the configuration. The servers start in `start`, with the variables of `environment` and no others, which
    /// also fill `${VAR}`. It reads a file, so it blocks.
    ///
    /// # Errors
    /// Errors if no server can be used.
    pub fn read(named: &McpConfig, start: &Path, environment: &Environment) -> Result<Self, Unusable> {
        let options = Options::from_variables(environment.vars(), start)?;
        let variables = &options.environment;
        let servers = match named {
            McpConfig::File(file) => config::read(&text_file::read(file)?, file, variables)?,
            McpConfig::Inline(servers) => config::read(&whole(servers), HERE.as_ref(), variables)?,
        };
        Ok(LoadedServers { servers, options })
    }

    /// Returns the servers with an invalid entry, and the reasons, one per line. Calls of them fail.
    pub fn wrong(&self) -> Vec<String> {
        let wrong = |server: &config::ConfiguredServer| {
            let why = server.config.as_ref().err()?;
            Some(format!("the MCP server `{}` can't be used: {why}", server.name))
        };
        self.servers.iter().filter_map(wrong).collect()
    }
}

/// Returns the text of an equivalent file.
fn whole(servers: &Map<String, Value>) -> String {
    let is_whole = servers.len() == 1 && servers.contains_key(KEY);
    let servers = Value::Object(servers.clone());
    if is_whole { servers.to_string() } else { serde_json::json!({ KEY: servers }).to_string() }
}
