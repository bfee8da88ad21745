//! `/mcp`: the output of `becket mcp list` and `becket mcp tools` for the servers of the open session.

use super::answer::{CommandContext, CommandResult};
use crate::report::human;
use becket_embed::view::mcp::{McpServers, McpTools};
use becket_mcp::{Names, Pool, ServerView};

/// Returns the state of all servers, or the tools of one.
///
/// # Errors
/// Errors if there is no such server, or it is not connected.
pub(super) fn shown(answering: CommandContext<'_>, server: Option<&str>) -> CommandResult {
    let session = answering.session;
    let views = session.servers.as_ref().map(Pool::servers).unwrap_or_default();
    match server {
        None => {
            let servers = McpServers::new(&views, &session.hidden_servers);
            Ok(human::mcp::servers(&servers, answering.at.around))
        }
        Some(name) => tools(&views, name),
    }
}

fn tools(views: &[ServerView], name: &str) -> CommandResult {
    let Some(view) = views.iter().find(|view| view.name == name) else {
        return Err(format!("there is no MCP server `{name}`; `/mcp` lists them"));
    };
    let Some(tools) = &view.tools else {
        return Err(format!("the MCP server `{name}` is not connected; `/mcp` shows why"));
    };
    let all = views.iter().map(|view| {
        let tools = view.tools.as_ref().map(|tools| tools.as_slice()).unwrap_or_default();
        (view.name.as_str(), tools)
    });
    Ok(human::mcp::tools(&McpTools::new(name, tools.as_slice(), &Names::of_tools(all), false)))
}
