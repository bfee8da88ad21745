//! The MCP servers of a session.

use super::context::RunContext;
use super::control::{self, HostUser, Initialize};
use super::terminal::Person;
use crate::error::CliError;
use crate::out::Out;
use crate::report::style::{WARNING, one_line, styled};
use becket_agent::elicit::{ElicitationRecord, McpHost};
use becket_engine::config::trust;
use becket_mcp::Pool;
use becket_mcp::config::ConfiguredServer;
use becket_tools::discovery::{DiscoveryError, NamedServers, PoolOptions, ServerSet};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns the handler of requests from servers: hooks, and the program that described the session, or the user at the
/// terminal.
pub(super) fn host(at: RunContext<'_>) -> McpHost {
    let host = match (at.host, at.wants, at.terminal) {
        (_, _, Some(terminal)) => McpHost::new().with_user(Person::at(terminal)),
        (Some(host), Some(_), None) => McpHost::new().with_user(HostUser::new(host.clone())),
        (_, _, None) => McpHost::new(),
    };
    let (out, terminal) = (*at.out, at.terminal.cloned());
    host.with_observer(move |elicited: &ElicitationRecord| {
        for failure in &elicited.failures {
            match &terminal {
                Some(terminal) => terminal.warns(failure),
                None => warned(out, failure),
            }
        }
    })
}

/// Returns a pool of the configured servers, and the entries that have no effect; `None` in a bare start that names no
/// servers, and if a file that may deny something can't be read.
///
/// # Errors
/// Errors if such a file can't be read and servers were named on the command line, or if the variable for the
/// connection timeout is invalid.
pub(super) fn pool_of(
    at: RunContext<'_>,
    host: &McpHost,
) -> Result<Option<(Pool, Vec<ConfiguredServer>)>, CliError> {
    let of = &at.args.sources;
    let lends = at.wants.is_some_and(Initialize::lends_servers);
    if of.skips_files() && of.mcp_config.is_empty() && !lends {
        return Ok(None);
    }
    let gathered = match find(at, None) {
        Ok(gathered) => gathered,
        // A broken file may have denied any server, so none is used; the session still starts (C7). Servers on the
        // command line were requested, so a failure is an error.
        Err(error) if of.mcp_config.is_empty() => {
            warned(*at.out, &format!("no server is used: {error}"));
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    gathered.problems.iter().for_each(|problem| warned(*at.out, &problem.to_string()));
    let of_host = at.host.map(|host| control::host_servers(host, at.wants, &gathered.resolved.servers));
    let mut options = PoolOptions::new(Arc::new(host.clone()));
    options.host_servers = of_host.unwrap_or_default();
    let pool = gathered.pool(at.session.environment(), &at.session.start, options)?;
    Ok(Some((pool, gathered.resolved.others)))
}

/// Returns all servers, including those that the host adds, each subject to the same checks as the others (X2, policy).
///
/// # Errors
/// Errors if a file that may deny something can't be read.
pub(super) fn with_more(at: RunContext<'_>, more: &Value) -> Result<Vec<ConfiguredServer>, CliError> {
    let more = json!({"mcpServers": more}).to_string();
    let gathered = find(at, Some(more))?;
    let mut servers = gathered.resolved.servers;
    let lent =
        at.host.map(|host| control::host_servers(host, at.wants, &servers)).unwrap_or_default().servers;
    servers.retain(|server| !lent.iter().any(|lent| lent.name == server.name));
    servers.extend(lent);
    Ok(servers)
}

/// Finds the servers of the configuration, of the arguments, and of `more`.
fn find(at: RunContext<'_>, more: Option<String>) -> Result<ServerSet, DiscoveryError> {
    let of = &at.args.sources;
    let named = NamedServers {
        servers: of.mcp_config.iter().cloned().chain(more).collect(),
        alone: of.strict_mcp_config || of.skips_files(),
        approves_project: false,
    };
    let is_trusted = at.session.folder_trusted || trust::is_recorded(&at.session.request());
    ServerSet::find(&at.session.clone().trusting(is_trusted).request(), &named)
}

fn warned(out: Out, text: &str) {
    out.eprint(&format!("{} {}\n", styled(WARNING, "MCP:"), one_line(text, 500)));
}
