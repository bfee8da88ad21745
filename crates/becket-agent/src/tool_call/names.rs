//! The names by which deny and ask rules may mean a tool, beside its own (`protocol.md` P2, X5).

use super::tool::Tool;

/// Returns the tool's name before it was cut, and its server's name if it contains `__`: rules without `__*` can't tell
/// such
/// a server from a tool. No allow rule matches a tool by one of these.
pub(super) fn others(tool: &dyn Tool) -> Vec<String> {
    let server = tool.server().map(|server| format!("mcp__{}", sanitised(&server.name)));
    let server = server.filter(|name| name.matches("__").count() > 1);
    tool.other_name().map(str::to_owned).into_iter().chain(server).collect()
}

/// A server's name as in the names of its tools.
fn sanitised(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}
