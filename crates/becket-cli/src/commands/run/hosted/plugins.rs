//! `reload_plugins`: hooks, agents, skills, commands and MCP servers of plugins, read again under the rules of a start.
//!
//! INVARIANT: if a plugin can't be read any more, all plugins stay as they were: none loses a guard by a failure.

use super::super::context::RunContext;
use super::super::servers::with_more;
use super::super::session::Session;
use becket_engine::CancellationToken;
use becket_mcp::Pool;
use becket_mcp::config::{ConfiguredServer, DisabledReason, Scope, Status};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The problems that did not prevent a reload.
#[derive(Debug, Default)]
pub(super) struct PluginProblems {
    /// The number of errors.
    pub(super) errors: usize,
    /// The problems, for the host.
    pub(super) texts: Vec<String>,
}

/// Reads the plugins again, and connects their servers.
///
/// # Errors
/// Errors if a file that may deny something can't be read, or a plugin is gone; then nothing has changed.
pub(super) async fn reload(
    at: RunContext<'_>,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<PluginProblems, String> {
    let _changing = session.server_changes.lock().await;
    let servers = session.servers.as_ref().map(|pool| servers(at, session, pool)).transpose()?;
    let plugins = session.plugins.clone();
    // Waits for the disk.
    let reloaded = tokio::task::spawn_blocking(move || plugins.reload()).await;
    let reloaded = reloaded.map_err(|lost| format!("the plugins could not be read: {lost}"))?;
    let diagnostics = reloaded.map_err(|error| error.to_string())?;
    let mut problems = PluginProblems::default();
    problems.errors += diagnostics.iter().filter(|one| one.is_error()).count();
    problems.texts.extend(diagnostics.iter().map(|one| format!("{}: {}", one.file.display(), one.message)));
    if let Some((pool, servers)) = session.servers.as_ref().zip(servers) {
        connect(pool, servers, cancel, &mut problems).await;
    }
    session.refresh();
    Ok(problems)
}

/// Returns the servers of plugins that a reload would add and remove, in the format of the SDKs; `None` if it would
/// change no tool of a conversation that has begun.
///
/// # Errors
/// Errors if a file that may deny something can't be read.
pub(super) fn cache_impact(at: RunContext<'_>, session: &Session) -> Result<Option<Value>, String> {
    let Some(pool) = &session.servers else { return Ok(None) };
    let of_plugins = |servers: &[ConfiguredServer]| -> BTreeSet<String> {
        let allowed =
            servers.iter().filter(|server| is_of_plugin(server) && server.status == Status::Allowed);
        allowed.map(|server| server.name.to_string()).collect()
    };
    let (before, after) = (of_plugins(&configured(pool)), of_plugins(&servers(at, session, pool)?));
    let has_begun = session.agent.context().messages > 0;
    if before == after || !has_begun {
        return Ok(None);
    }
    let (added, removed): (Vec<_>, Vec<_>) =
        (after.difference(&before).collect(), before.difference(&after).collect());
    Ok(Some(json!({"mcp_servers_added": added, "mcp_servers_removed": removed, "lsp_tool_change": null})))
}

/// Returns the servers of the session with those of plugins as they are now: subject to the same policy, trust and
/// approvals as at the start, and to the host's own changes.
fn servers(at: RunContext<'_>, session: &Session, pool: &Pool) -> Result<Vec<ConfiguredServer>, String> {
    let found = with_more(at, &json!({})).map_err(|error| error.to_string())?;
    let off = session.server_changes.get().off;
    let mut all = configured(pool);
    // What has been denied stays denied, whatever files say now (C8).
    let denied: Vec<ConfiguredServer> = all
        .iter()
        .filter(|server| match &server.status {
            Status::Disabled(DisabledReason::ByHost) | Status::Allowed => false,
            Status::Disabled(_) => is_of_plugin(server),
        })
        .cloned()
        .collect();
    all.retain(|server| !is_of_plugin(server));
    for mut server in found.into_iter().filter(is_of_plugin) {
        if server.status == Status::Allowed && off.contains(&server.name.to_string()) {
            server.status = Status::Disabled(DisabledReason::ByHost);
        }
        if let Some(before) = denied.iter().find(|before| before.name == server.name) {
            server.status = before.status.clone();
        }
        all.push(server);
    }
    Ok(all)
}

fn configured(pool: &Pool) -> Vec<ConfiguredServer> {
    pool.servers().iter().map(|view| (*view.configured).clone()).collect()
}

fn is_of_plugin(server: &ConfiguredServer) -> bool {
    matches!(server.scope, Scope::Plugin { .. })
}

async fn connect(
    pool: &Pool,
    servers: Vec<ConfiguredServer>,
    cancel: &CancellationToken,
    problems: &mut PluginProblems,
) {
    let is_connected = |server: &&ConfiguredServer| is_of_plugin(server) && server.status == Status::Allowed;
    let names: Vec<String> =
        servers.iter().filter(is_connected).map(|server| server.name.to_string()).collect();
    pool.configure(servers);
    for name in names {
        if let Err(error) = pool.connect(&name, cancel).await {
            problems.errors += 1;
            problems.texts.push(error.to_string());
        }
    }
}
