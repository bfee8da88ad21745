//! The tools of MCP servers: for the model, like any other tool, and for hooks of kind `mcp_tool` (`protocol.md` X5,
//! H6).
//!
//! The model's calls go through all hooks and rules, like any other. A hook's own call goes to the server directly and
//! fires no hook: a hook on a tool may call that very tool without triggering itself. A server's question during such
//! a call is like any other, and fires Elicitation.
//!
//! If a tool reports a failure (`isError`), its call fails: PostToolUseFailure, with its text as the error.
//!
//! While a connected server offers resources, two tools list and read them (`protocol.md` X8).
//!
//! Servers are not trusted: a tool that declares itself read-only needs a question like any other, and runs
//! concurrently with other calls only if the user trusts its server.

mod answer;
mod hook_calls;
mod resources;
mod servers;
mod tool;

pub use hook_calls::HookCalls;
pub use resources::RESOURCE_TOOLS;
pub use servers::{McpServers, McpTools, OfferedTool, OfferedTools};
