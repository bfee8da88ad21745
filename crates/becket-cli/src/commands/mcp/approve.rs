//! `becket mcp approve`: approves a server of the project, as long as its entry does not change.

use super::McpContext;
use crate::error::{CliError, CommandResult};
use crate::report::style::{GOOD, HEAD, plain, styled};
use becket_agent::agents::Agents;
use becket_agent::definitions::Homes;
use becket_engine::config::{Access, Request, write_text};
use becket_mcp::config::{DisabledReason, Scope, Status};
use becket_tools::discovery::{ServerSet, read_approvals};

/// Writes or revokes an approval.
pub(super) fn run(server: &str, revoke: bool, at: McpContext<'_>) -> CommandResult {
    let file = at.gathered.approvals_file().ok_or(CliError::NoSessionDirectory)?;
    let mut known = read_approvals(&file)?;
    let project = &at.gathered.project;
    if revoke {
        if !known.forget(project, Some(server)) {
            return Err(CliError::McpEdit {
                why: format!("the server `{server}` was not approved in this project"),
            });
        }
        return written(&file, &known, "no longer approved:", server, at);
    }
    let configured = at.server(server)?;
    match (&configured.status, &configured.scope, &configured.fingerprint) {
        (Status::Disabled(DisabledReason::NotApproved { fingerprint, .. }), _, _) => {
            known.approve(project, server, fingerprint.clone());
        }
        (Status::Disabled(why), _, _) => {
            return Err(CliError::McpEdit { why: format!("the server `{server}` can't be approved: {why}") });
        }
        (Status::Allowed, Scope::Project, Some(fingerprint)) => {
            known.approve(project, server, fingerprint.clone());
        }
        (Status::Allowed, _, _) => {
            let why =
                format!("the server `{server}` needs no approval: it is of the scope {}", configured.scope);
            return Err(CliError::McpEdit { why });
        }
    }
    written(&file, &known, "approved, as its entry is now:", server, at)
}

/// Returns the servers that an agent of the project, or of the user, describes itself.
///
/// # Errors
/// Errors if there is no such agent, it describes no server, or its description can't be read.
pub(super) fn described_by(agent: &str, request: &Request) -> Result<ServerSet, CliError> {
    let agents = Agents::load(&Homes::of(request, &[]), None).agents;
    let definition = agents.get(agent).map_err(|why| CliError::McpEdit { why })?;
    let described = definition.described_servers(request)?;
    let why = || format!("the agent `{agent}` ({}) describes no MCP server", definition.file.display());
    described.ok_or_else(|| CliError::McpEdit { why: why() })
}

fn written(
    file: &std::path::Path,
    known: &becket_mcp::config::Approvals,
    what: &str,
    server: &str,
    at: McpContext<'_>,
) -> CommandResult {
    write_text(file, &known.to_text(), Access::Private)
        .map_err(|error| CliError::McpEdit { why: error.to_string() })?;
    let file = plain(&at.around.short(file));
    at.out.print(&format!("{} {} ({file})\n", styled(GOOD, what), styled(HEAD, server)))?;
    Ok(0)
}
