//! The servers whose tools a gateway offers: all of the configuration, or those that are named.

use super::super::no_server;
use super::Notices;
use crate::args::McpGatewayArgs;
use crate::error::CliError;
use becket_mcp::config::{ConfiguredServer, ResolvedServers, ServerConfig, Status, Transport};
use becket_tools::discovery::ServerSet;
use std::ffi::OsStr;
use std::path::Path;

/// Returns the servers that may be used; reports the others.
///
/// # Errors
/// Errors if a named server does not exist or may not be used, or if no server remains.
pub(super) fn selected(
    args: &McpGatewayArgs,
    gathered: &ServerSet,
    notices: &Notices,
) -> Result<ServerSet, CliError> {
    let all = &gathered.resolved.servers;
    if let Some(unknown) =
        args.servers.iter().find(|name| !all.iter().any(|server| server.name.to_string() == **name))
    {
        return Err(no_server(gathered, unknown));
    }
    let mut servers = Vec::new();
    for server in all {
        let name = server.name.to_string();
        let is_named = args.servers.contains(&name);
        if !is_named && !args.servers.is_empty() {
            continue;
        }
        match (obstacle(server), is_named) {
            (None, _) => servers.push(server.clone()),
            (Some(why), true) => {
                return Err(CliError::mcp(format!("the server `{name}` can't be offered: {why}")));
            }
            (Some(why), false) => notices.show(&format!("the server `{name}` is not offered: {why}")),
        }
    }
    if servers.is_empty() {
        return Err(CliError::mcp(
            "there is no MCP server to offer: name a file with `--mcp-config`, or add a server with `becket mcp add`",
        ));
    }
    Ok(ServerSet {
        resolved: ResolvedServers { servers, others: Vec::new() },
        problems: Vec::new(),
        project: gathered.project.clone(),
        own: gathered.own.clone(),
    })
}

/// Returns the reason why a server is not offered.
fn obstacle(server: &ConfiguredServer) -> Option<String> {
    match (&server.status, &server.config) {
        (Status::Disabled(why), _) => Some(why.to_string()),
        (Status::Allowed, Err(error)) => Some(error.to_string()),
        (Status::Allowed, Ok(config)) => {
            is_gateway(config).then(|| "it is a gateway itself, which would start itself again".to_owned())
        }
    }
}

/// Returns true if the entry starts `becket mcp gateway`, directly or by another program.
fn is_gateway(config: &ServerConfig) -> bool {
    let Transport::Stdio(stdio) = &config.transport else { return false };
    let texts = std::iter::once(&stdio.command).chain(&stdio.args).map(|text| text.to_string_lossy());
    let texts: Vec<_> = texts.collect();
    let mut words = texts.iter().flat_map(|text| text.split_whitespace());
    let is_becket = |word: &str| Path::new(word).file_stem() == Some(OsStr::new("becket"));
    words.any(is_becket) && words.any(|word| word == "mcp") && words.any(|word| word == "gateway")
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_mcp::config::Stdio;

    #[test]
    fn a_gateway_is_recognised_behind_other_programs() {
        for (command, args, expected) in [
            ("becket", &["mcp", "gateway"][..], true),
            ("/opt/bin/becket", &["-C", "/p", "mcp", "--approve-all", "gateway", "--server", "a"], true),
            ("sh", &["-c", "exec becket mcp gateway"], true),
            ("npx", &["becket", "mcp", "gateway"], true),
            ("becket", &["mcp", "call"], false),
            ("gateway", &["mcp", "becket"], false),
            ("uvx", &["mcp-gateway"], false),
        ] {
            let args = args.iter().map(Into::into).collect();
            let stdio = Stdio { command: command.into(), args, ..Stdio::default() };
            let config = ServerConfig { transport: Transport::Stdio(stdio), timeout: None };
            assert_eq!(is_gateway(&config), expected, "{config:?}");
        }
    }
}
