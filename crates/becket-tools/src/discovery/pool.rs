//! The pool over the servers of a configuration.

use super::error::DiscoveryError;
use super::server_set::ServerSet;
use becket_engine::Environment;
use becket_mcp::auth::{
    AUTH_NEEDED_TTL, AuthNeeded, FileStore, LoginOptions, Logins, TokenStore, default_store,
};
use becket_mcp::config::{ConfiguredServer, ServerName};
use becket_mcp::{CallError, CancellationToken, Host, InProcessServer, Names, Options, Pool, ToolList};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of login tokens for servers.
const TOKENS: &str = "mcp-tokens.json";
/// The file of servers that have recently required a login.
const NEEDED: &str = "mcp-auth-needed.json";

/// The store of login tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Storage {
    /// The keyring of the system if `becket-mcp` was built with its feature `keyring`; otherwise a file.
    #[default]
    AsBuilt,
    /// A file in any case.
    File,
}

/// The in-process servers of a host.
#[derive(Default)]
pub struct HostServers {
    /// Servers that no configuration names; they take precedence over others of the same name.
    pub servers: Vec<ConfiguredServer>,
    /// Their transports, and those of in-process servers that a configuration names.
    pub in_process: Vec<(String, Arc<dyn InProcessServer>)>,
}

/// The host's side of a pool.
pub struct PoolOptions {
    /// The host that answers the servers' requests.
    pub host: Arc<dyn Host>,
    /// The store of login tokens.
    pub storage: Storage,
    /// The in-process servers of the host.
    pub host_servers: HostServers,
}

impl PoolOptions {
    /// Creates options for a host that has no servers of its own.
    #[must_use]
    pub fn new(host: Arc<dyn Host>) -> Self {
        PoolOptions { host, storage: Storage::default(), host_servers: HostServers::default() }
    }
}

impl ServerSet {
    /// Returns a pool of these servers, without connecting them. They start in `start` with these variables, those of
    /// the project's files in the directories of the files.
    ///
    /// # Errors
    /// Errors if the variable with the connection timeout is invalid.
    pub fn pool(
        &self,
        environment: &Environment,
        start: &Path,
        pool: PoolOptions,
    ) -> Result<Pool, DiscoveryError> {
        let PoolOptions { host, storage, host_servers } = pool;
        let mut options = Options::from_variables(environment.vars(), start)?;
        options.in_process = host_servers.in_process;
        if let Some(own) = &self.own {
            let logins = logins(own, storage, &options);
            options.auth_needed.clone_from(&logins.needed);
            options.logins = Some(Logins::new(logins));
        }
        let of_host = |name: &ServerName| host_servers.servers.iter().any(|server| server.name == *name);
        let mut servers = self.resolved.servers.clone();
        servers.retain(|server| !of_host(&server.name));
        servers.extend(host_servers.servers);
        let pool = Pool::new(options, host);
        pool.configure(servers);
        Ok(pool)
    }

    /// Returns the tools of a server, and the names that all tools have in a session: servers with similar names are
    /// connected, too.
    ///
    /// # Errors
    /// Errors if the server can't be connected, or does not list its tools.
    pub async fn tools(
        &self,
        server: &str,
        pool: &Pool,
        cancel: &CancellationToken,
    ) -> Result<(Arc<ToolList>, Names), CallError> {
        for other in self.alike(server) {
            // A server that can't be connected has no tool names in a session either.
            drop(pool.tools(&other, cancel).await);
        }
        let tools = pool.tools(server, cancel).await?;
        let views = pool.servers();
        let listed = views.iter().map(|view| {
            let tools = view.tools.as_ref().map(|tools| tools.as_slice()).unwrap_or_default();
            (view.name.as_str(), tools)
        });
        Ok((tools, Names::of_tools(listed)))
    }
}

/// Returns the token store and the record of required logins, in Becket's own directory of the user.
fn logins(own: &Path, storage: Storage, options: &Options) -> LoginOptions {
    // A damaged record counts as empty: the servers are tried once more.
    let (needed, _) = AuthNeeded::open(own.join(NEEDED), AUTH_NEEDED_TTL);
    let mut logins = LoginOptions::new(store(own.join(TOKENS), storage));
    logins.needed = Some(needed);
    logins.extra_ca.clone_from(&options.extra_ca);
    logins
}

fn store(file: PathBuf, storage: Storage) -> Arc<dyn TokenStore> {
    match storage {
        Storage::AsBuilt => default_store(file),
        Storage::File => Arc::new(FileStore::new(file)),
    }
}
