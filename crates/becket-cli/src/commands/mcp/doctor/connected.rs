//! The handshake with a server, and the list of its tools.

use super::super::McpContext;
use super::steps::Steps;
use becket_mcp::config::ConfiguredServer;
use becket_mcp::{CallError, CancellationToken, Names, Pool, ServerInfo, ServerState, Tool};
use std::time::Instant;

/// The number of unusual names that are shown.
const MOST_NAMES: usize = 10;

/// Runs the handshake and lists the tools.
pub(super) async fn connected(
    pool: &Pool,
    server: &ConfiguredServer,
    at: McpContext<'_>,
    steps: &mut Steps,
    cancel: &CancellationToken,
) {
    let (name, begun) = (server.name.to_string(), Some(Instant::now()));
    // This also applies if it required a login a moment ago: the user may have logged in since.
    match pool.reconnect(&name, cancel).await {
        Ok(info) => steps.good("handshake", begun, greeted(&info)),
        Err(error) => return steps.bad("handshake", begun, refused(pool, &name, &error)),
    }
    let begun = Some(Instant::now());
    match pool.tools(&name, cancel).await {
        Ok(tools) => listed(&tools, &at.gathered.names(&name, &tools), begun, steps),
        Err(error) => steps.bad("tools", begun, error),
    }
}

fn greeted(info: &ServerInfo) -> String {
    let program = [&info.name, &info.version].map(|part| part.clone().unwrap_or_default()).join(" ");
    let program = if program.trim().is_empty() { "it" } else { program.trim() };
    format!("{program} speaks {}", info.protocol)
}

/// Returns the error without the name of the server, which is shown above it.
fn refused(pool: &Pool, name: &str, error: &CallError) -> String {
    match pool.servers().into_iter().next().map(|view| view.state) {
        Some(ServerState::Failed { why }) => why.to_string(),
        Some(ServerState::NeedsAuth { .. }) => {
            format!("it requires a login: run `becket mcp login {name}`, or add a header to its entry")
        }
        Some(_) | None => error.to_string(),
    }
}

fn listed(tools: &[Tool], names: &Names, begun: Option<Instant>, steps: &mut Steps) {
    let problems = tools.iter().filter(|tool| tool.problem.is_some()).count();
    let mut detail = match tools.len() {
        1 => "1 tool".to_owned(),
        many => format!("{many} tools"),
    };
    let odd = names.warnings().len();
    for (count, what) in [(problems, "with a wrong schema"), (odd, "with an odd name")] {
        if count > 0 {
            detail.push_str(&format!(", {count} {what}"));
        }
    }
    steps.good("tools", begun, detail);
    for warning in names.warnings().iter().take(MOST_NAMES) {
        steps.good("names", None, warning);
    }
    if odd > MOST_NAMES {
        steps.good("names", None, format_args!("and {} more", odd - MOST_NAMES));
    }
}
