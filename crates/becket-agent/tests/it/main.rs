//! Integration tests of the reference agent, in one binary: a crate is linked once for all of them.

#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "tests fail by panicking, and pick one kind among many"
)]

#[cfg(unix)]
mod adversary_calls;
#[cfg(unix)]
mod agent_hook;
#[cfg(unix)]
mod agents;
#[cfg(unix)]
mod ask_user;
#[cfg(unix)]
mod auto_approve;
#[cfg(unix)]
mod auto_approve_git;
#[cfg(unix)]
mod bash;
mod beside_rules;
mod compact;
mod conversation;
#[cfg(unix)]
mod definitions;
#[cfg(unix)]
mod edit;
#[cfg(unix)]
mod elicit;
#[cfg(unix)]
mod instructions;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod mcp_call;
#[cfg(unix)]
mod mcp_resources;
#[cfg(unix)]
mod permission;
#[cfg(unix)]
mod read;
#[cfg(unix)]
mod search;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod shell;
#[cfg(unix)]
mod shell_background;
#[cfg(unix)]
mod shell_edits;
#[cfg(unix)]
mod skills;
#[cfg(unix)]
mod stop;
mod support;
mod tasks;
#[cfg(unix)]
mod tool_call;
#[cfg(unix)]
mod tool_call_again;
#[cfg(unix)]
mod tool_call_gate;
mod transcript;
#[cfg(unix)]
mod turn;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(target_os = "linux")]
mod watch_ends;
#[cfg(unix)]
mod web_fetch;
#[cfg(unix)]
mod write;
