//! `becket mcp approve`: approves a server of the project, as long as its entry does not change.

use super::McpContext;
use crate::commands::trust::check_agents;
use crate::error::{CliError, CommandResult};
use crate::report::style::{GOOD, HEAD, plain, styled};
use becket_agent::agents::Agents;
use becket_agent::definitions::Homes;
use becket_base::config_file::{Access, ConfigFile, UpdateError};
use becket_engine::config::Request;
use becket_mcp::config::{Approvals, DisabledReason, Fingerprint, Scope, Status};
use becket_tools::discovery::ServerSet;
use std::path::Path;

/// Writes or revokes an approval. An agent may only revoke one.
pub(super) fn run(server: &str, revoke: bool, at: McpContext<'_>) -> CommandResult {
    let file = at.gathered.approvals_file().ok_or(CliError::NoSessionDirectory)?;
    let project = &at.gathered.project;
    let what = if revoke {
        change(&file, |known| match known.forget(project, Some(server)) {
            true => Ok(()),
            false => Err(CliError::McpEdit {
                why: format!("the server `{server}` was not approved in this project"),
            }),
        })?;
        "no longer approved:"
    } else {
        check_agents()?;
        let fingerprint = fingerprint(server, at)?;
        change(&file, |known| {
            known.approve(project, server, fingerprint.clone());
            Ok(())
        })?;
        "approved, as its entry is now:"
    };
    let file = plain(&at.around.short(&file));
    at.out.print(&format!("{} {} ({file})\n", styled(GOOD, what), styled(HEAD, server)))?;
    Ok(0)
}

/// Returns the fingerprint of a server that needs an approval, or has one.
fn fingerprint(server: &str, at: McpContext<'_>) -> Result<Fingerprint, CliError> {
    let configured = at.server(server)?;
    let why = match (&configured.status, &configured.scope, &configured.fingerprint) {
        (Status::Disabled(DisabledReason::NotApproved { fingerprint, .. }), _, _)
        | (Status::Allowed, Scope::Project, Some(fingerprint)) => return Ok(fingerprint.clone()),
        (Status::Disabled(why), _, _) => format!("the server `{server}` can't be approved: {why}"),
        (Status::Allowed, _, _) => {
            format!("the server `{server}` needs no approval: it is of the scope {}", configured.scope)
        }
    };
    Err(CliError::McpEdit { why })
}

/// Changes the recorded approvals.
fn change(
    file: &Path,
    mut change: impl FnMut(&mut Approvals) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let refused = |why: String| CliError::McpFile { path: file.to_owned(), why };
    let edited = |text: &str| {
        let mut known = Approvals::parse(text).map_err(|error| refused(error.to_string()))?;
        change(&mut known)?;
        Ok(known.to_text())
    };
    ConfigFile::update(file, Access::Private, edited).map_err(|error| match error {
        UpdateError::File(why) => refused(why.to_string()),
        UpdateError::Edit(why) => why,
    })
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
