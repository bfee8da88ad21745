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

/// The variable with the time that connecting may take, in milliseconds (X2).
const CONNECT: &str = "MCP_TIMEOUT";

/// The variable with a PEM file of more authorities.
const CA: &str = "NODE_EXTRA_CA_CERTS";
/// The file of login tokens for servers.
const TOKENS: &str = "mcp-tokens.json";
/// Servers that wanted a login a while ago.
const NEEDED: &str = "mcp-auth-needed.json";

/// The store of login tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// In the keyring of the system, where this program was built with the feature `keyring`; else in a file.
    AsBuilt,
    /// In a file, whatever it was built with.
    InFile,
}

/// The servers of the program's own host.
#[derive(Default)]
pub(crate) struct HostServers {
    /// Those that no configuration names; of two of one name, these count.
    pub(crate) servers: Vec<ConfiguredServer>,
    /// The ends of those, and of others that a configuration names.
    pub(crate) in_process: Vec<(String, Arc<dyn InProcessServer>)>,
}

/// A pool of these servers; nothing is connected yet.
///
/// # Errors
/// The variable of the time to connect holds no time.
pub(crate) fn pool(
    gathered: &ServerSet,
    session: &Session,
    host: Arc<dyn Host>,
    around: &Surroundings,
) -> Result<Pool, CliError> {
    pool_that_keeps(Keep::AsBuilt, gathered, session, host, around)
}

/// The same with a place for the tokens of logins.
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

/// The tools of a server, and the names that all tools have in a session: servers that are named alike are connected
/// with it.
///
/// # Errors
/// The server can't be connected, or has no list.
pub(crate) async fn tools_of(
    server: &str,
    pool: &Pool,
    gathered: &ServerSet,
    cancel: &CancellationToken,
) -> Result<(Arc<ToolList>, Names), CliError> {
    for other in gathered.alike(server) {
        // One that can't be connected takes no names in a session either.
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

/// Tokens and the memory of wanted logins, among Becket's own files of the user.
fn logins(own: &Path, keep: Keep, options: &Options) -> LoginOptions {
    // A memory that is damaged counts as empty: servers are asked once more.
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
