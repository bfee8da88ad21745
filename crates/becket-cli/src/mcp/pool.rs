//! The pool over the servers of a configuration.

use super::server_set::{ServerSet, variables};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::session::Session;
use becket_mcp::auth::{AUTH_NEEDED_TTL, AuthNeeded, FileStore, LoginOptions, Logins, TokenStore};
use becket_mcp::config::{ConfiguredServer, ServerName};
use becket_mcp::{CancellationToken, Host, InProcessServer, Names, Options, Pool, ToolList};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The variable with the time limit for connecting, in milliseconds (X2).
const CONNECT: &str = "MCP_TIMEOUT";

/// The variable with a PEM file of additional certificate authorities.
const CA: &str = "NODE_EXTRA_CA_CERTS";
/// The file of login tokens for servers.
const TOKENS: &str = "mcp-tokens.json";
/// The file of servers that have recently required a login.
const NEEDED: &str = "mcp-auth-needed.json";

/// The store of login tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// In the keyring of the system, if this program was built with the feature `keyring`; otherwise in a file.
    AsBuilt,
    /// Always in a file.
    InFile,
}

/// The servers in the process of the host.
#[derive(Default)]
pub(crate) struct HostServers {
    /// Servers that no configuration names; they take precedence over others of the same name.
    pub(crate) servers: Vec<ConfiguredServer>,
    /// Their transports, and those of others that a configuration names.
    pub(crate) in_process: Vec<(String, Arc<dyn InProcessServer>)>,
}

/// Returns a pool of these servers, without connecting them.
///
/// # Errors
/// Errors if the variable of the time to connect is invalid.
pub(crate) fn pool(
    gathered: &ServerSet,
    session: &Session,
    host: Arc<dyn Host>,
    around: &Surroundings,
) -> Result<Pool, CliError> {
    pool_that_keeps(Keep::AsBuilt, gathered, session, host, around)
}

/// The same with a store for login tokens.
///
/// # Errors
/// As [`pool`].
pub(crate) fn pool_that_keeps(
    keep: Keep,
    gathered: &ServerSet,
    session: &Session,
    host: Arc<dyn Host>,
    around: &Surroundings,
) -> Result<Pool, CliError> {
    pool_with(gathered, session, around, host, keep, HostServers::default())
}

/// The same with servers of the host.
///
/// # Errors
/// As of [`pool`].
pub(crate) fn pool_with(
    gathered: &ServerSet,
    session: &Session,
    around: &Surroundings,
    host: Arc<dyn Host>,
    keep: Keep,
    lent: HostServers,
) -> Result<Pool, CliError> {
    let mut options = Options::new(variables(session), &session.start);
    options.in_process = lent.in_process;
    options.extra_ca = around.var(CA).map(|file| session.start.join(file));
    if let Some(own) = &gathered.own {
        let logins = logins(own, keep, &options);
        options.auth_needed.clone_from(&logins.needed);
        options.logins = Some(Logins::new(logins));
    }
    if let Some(given) = around.var(CONNECT) {
        let given = given.to_string_lossy();
        let milliseconds: Result<u64, _> = given.trim().parse();
        match milliseconds {
            Ok(some @ 1..) => options.connect_timeout = Duration::from_millis(some),
            Ok(0) | Err(_) => {
                let why = format!(
                    "`{CONNECT}={given}` is not a valid time: write milliseconds, as in `{CONNECT}=30000`"
                );
                return Err(CliError::McpConfig { why });
            }
        }
    }
    let pool = Pool::new(options, host);
    let is_lent = |name: &ServerName| lent.servers.iter().any(|lent| lent.name == *name);
    let mut servers = gathered.resolved.servers.clone();
    servers.retain(|server| !is_lent(&server.name));
    servers.extend(lent.servers);
    pool.configure(servers);
    Ok(pool)
}

/// Returns the tools of a server, and the names that all tools have in a session: servers with similar names are
/// connected, too.
///
/// # Errors
/// Errors if the server can't be connected, or has no list.
pub(crate) async fn tools_of(
    server: &str,
    pool: &Pool,
    gathered: &ServerSet,
    cancel: &CancellationToken,
) -> Result<(Arc<ToolList>, Names), CliError> {
    for other in gathered.alike(server) {
        // A server that can't be connected has no tool names in a session either.
        drop(pool.tools(&other, cancel).await);
    }
    let tools = pool.tools(server, cancel).await.map_err(CliError::mcp)?;
    let views = pool.servers();
    let listed = views.iter().map(|view| {
        let tools = view.tools.as_ref().map(|tools| tools.as_slice()).unwrap_or_default();
        (view.name.as_str(), tools)
    });
    Ok((tools, Names::of_tools(listed)))
}

/// The store of tokens, and the record of required logins, among Becket's own files of the user.
fn logins(own: &Path, keep: Keep, options: &Options) -> LoginOptions {
    // A damaged record counts as empty: the servers are tried once more.
    let (needed, _) = AuthNeeded::open(own.join(NEEDED), AUTH_NEEDED_TTL);
    let mut logins = LoginOptions::new(store(own.join(TOKENS), keep));
    logins.needed = Some(needed);
    logins.extra_ca.clone_from(&options.extra_ca);
    logins
}

fn store(file: PathBuf, keep: Keep) -> Arc<dyn TokenStore> {
    match keep {
        #[cfg(feature = "keyring")]
        Keep::AsBuilt => Arc::new(becket_mcp::auth::KeyringStore::new(file)),
        #[cfg(not(feature = "keyring"))]
        Keep::AsBuilt => Arc::new(FileStore::new(file)),
        Keep::InFile => Arc::new(FileStore::new(file)),
    }
}
