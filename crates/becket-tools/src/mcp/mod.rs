//! The tools of MCP servers: for the model, as any other tool, and for hooks of kind `mcp_tool` (`protocol.md` X5, H6).
//!
//! The model's calls go through all hooks and rules, as any other. A hook's own call goes to the server at
//! once and fires none: a hook on a tool may call that very tool without triggering itself. A server's question during
//! such a call is like any other, and fires Elicitation.
//!
//! A tool that reports a failure (`isError`) has failed: PostToolUseFailure, with its text as the error.
//!
//! It does not trust a server: a tool that calls itself read-only is asked about like any other, and runs beside other
//! calls only if the user trusts its server.

mod answer;
mod hook_calls;
mod servers;
mod tool;

pub use hook_calls::HookCalls;
pub use servers::{McpServers, McpTools, OfferedTool, OfferedTools};
