//! `becket mcp doctor`: each step of a connection, with its time and its error.
//!
//! Each server is examined through a separate pool, so that no other one interferes.

mod connected;
mod reach;
mod steps;

use super::McpContext;
use crate::error::{CliError, CommandResult};
use crate::interrupt;
use crate::report::{human, json};
use becket_embed::view::Report;
use becket_embed::view::mcp::{McpServer, McpServers, McpState, why_disabled};
use becket_engine::CancellationToken;
use becket_fire::FiringError;
use becket_mcp::config::{ConfiguredServer, Status};
use becket_tools::discovery::PoolOptions;
use connected::connected;
use futures_util::StreamExt;
use reach::reached;
use std::sync::Arc;
use std::time::Instant;
use steps::Steps;

/// The number of servers that are examined concurrently.
const AT_ONCE: usize = 8;

/// Examines one server, or all of them.
pub(super) fn run(server: Option<&str>, at: McpContext<'_>) -> CommandResult {
    let all = &at.gathered.resolved.servers;
    let chosen: Vec<&ConfiguredServer> = match server {
        Some(name) => vec![at.server(name)?],
        None => all.iter().collect(),
    };
    let cancel = CancellationToken::new();
    let examined = interrupt::until_done(&cancel, async {
        let each = chosen.into_iter().map(|server| examine(server, at, &cancel));
        let examined: Vec<_> = futures_util::stream::iter(each).buffered(AT_ONCE).collect().await;
        if cancel.is_cancelled() {
            return Err(FiringError::Interrupted.into());
        }
        examined.into_iter().collect::<Result<Vec<McpServer>, CliError>>()
    })?;
    let mut servers = McpServers { servers: examined, names: Vec::new() };
    if server.is_none() {
        servers.servers.extend(at.gathered.resolved.others.iter().map(McpServer::of_entry));
    }
    let failed = servers.servers.iter().any(|server| server.state.is_failure());
    if at.global.json {
        json::print(&Report::Mcp(servers), at.out)?;
    } else {
        at.out.print(&human::mcp::examined(&servers, at.around))?;
    }
    Ok(u8::from(failed))
}

/// Runs the steps for one server; after the first failure only the connection is closed.
async fn examine(
    server: &ConfiguredServer,
    at: McpContext<'_>,
    cancel: &CancellationToken,
) -> Result<McpServer, CliError> {
    let mut steps = Steps::default();
    let mut shown = McpServer::of_entry(server);
    if configured(server, at, &mut steps) && reached(server, &mut steps).await {
        let alone = at.gathered.alone(server);
        let pool = at.pool_of(&alone, PoolOptions::new(Arc::new(())))?;
        connected(&pool, server, at, &mut steps, cancel).await;
        if let Some(view) = pool.servers().first() {
            shown = McpServer::of_view(view);
        }
        let begun = Instant::now();
        pool.close().await;
        steps.good("close", Some(begun), "nothing of it is left");
    }
    if shown.state == McpState::NotConnected {
        // A step before the connection failed.
        shown.state = McpState::Failed;
    }
    shown.why = None;
    shown.steps = steps.0;
    Ok(shown)
}

/// Reports the entry, and whether the server may be used.
fn configured(server: &ConfiguredServer, at: McpContext<'_>, steps: &mut Steps) -> bool {
    let others = at.gathered.resolved.others.iter().filter(|other| other.name == server.name).count();
    let hides = match others {
        0 => String::new(),
        1 => ", hides another entry of this name".to_owned(),
        many => format!(", hides {many} other entries of this name"),
    };
    match &server.config {
        Ok(config) => {
            let detail = format!("{}, scope {}{hides}", config.transport.kind(), server.scope);
            steps.good("configuration", None, detail);
        }
        Err(error) => {
            steps.bad("configuration", None, error);
            return false;
        }
    }
    permitted(server, steps)
}

fn permitted(server: &ConfiguredServer, steps: &mut Steps) -> bool {
    match &server.status {
        Status::Allowed => {
            steps.good("permission", None, "it may be used");
            true
        }
        Status::Disabled(why) => {
            steps.bad("permission", None, why_disabled(why, &server.name.to_string()));
            false
        }
    }
}
