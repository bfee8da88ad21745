//! The tools of MCP servers: for the model, as any other tool, and for hooks of kind `mcp_tool` (`protocol.md` X5, H6).
//!
//! The model's calls go through [`crate::tool_call`], with all hooks and rules. A hook's own call goes to the server at
//! once and fires none: a hook on a tool may call that very tool without triggering itself. A server's question during
//! such a call is like any other, and fires Elicitation; [`crate::elicit::McpHost`] bounds how many of them there are
//! at once.
//!
//! A tool that reports a failure (`isError`) has failed: PostToolUseFailure, with its text as the error.
//!
//! It does not trust a server: a tool that calls itself read-only is asked about like any other, and runs beside other
//! calls only if the user trusts its server.

mod answer;
mod for_hooks;
mod servers;
mod tool;

pub use for_hooks::HookCalls;
pub use servers::{McpServers, McpTools};
