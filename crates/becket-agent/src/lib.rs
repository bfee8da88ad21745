//! The reference agent's parts.
//!
//! - [`Agent`]: an open session, as a host drives it
//! - [`session`]: an open session, from its first event to its last (`protocol.md` L0)
//! - [`turn`]: a turn, from a prompt until the user's next one (`protocol.md` L0–L8)
//! - [`compact`]: replaces a conversation that grows too large by its summary (`protocol.md` L0, L5)
//! - [`conversation`]: the messages for the model, with the tool barrier as types (`protocol.md` L2)
//! - [`transcript`]: the stored session, which can be resumed after any end (`protocol.md` L2, D10)
//! - [`update`]: updates that a host may show meanwhile
//! - [`agents`], [`skills`], [`definitions`]: subagents, skills and typed commands, and the files that define them
//!   (`protocol.md` C10)
//! - [`instructions`]: the texts that people write for the model, in `CLAUDE.md` and similar files (`protocol.md` L0)
//! - [`notes`]: notes from a project's earlier sessions (`protocol.md` L7)
//! - [`tool_call`]: one tool call through hooks, rules, mode and person to its end (`protocol.md` L1)
//! - [`shell`]: the command lines of a session, and its working directory
//! - [`tasks`]: background tasks of a session
//! - [`team`]: shared tasks, and the teammates that work on them (`protocol.md` L3)
//! - [`permission`]: mode, rules and directories of a session while it runs, and the classifier of mode `auto`
//!   (`protocol.md` P13, P14)
//! - [`mcp`]: the tools of MCP servers, for the model and for hooks (`protocol.md` X5, H6)
//! - [`elicit`]: the questions of MCP servers, answered by hooks and the user (`protocol.md` X6)
//! - [`worktree`]: working trees of their own for a session and its subagents
//! - [`watch`]: files that change while a session is open (`protocol.md` M8, C8, D11)
//! - [`session_tools`]: the tools on files and on the web, and those that ask the user, for a session's own model
//! - [`HostTools`]: the tools that a host provides to `agent` handlers (`protocol.md` H8)
//!
//! [`HostTools`] is Read, Grep, Glob and Bash for [`becket_engine::Builder::agent_tools`] and
//! [`becket_engine::Builder::tools`]. A tool only does its work; the engine decides whether it may run, by rules, hooks
//! and the calls that [`HostTools`] reports as safe to run without asking in mode `default` (P14).
//!
//! Nothing here reads the environment or looks up a home directory: the host passes in both.

mod agent;
pub mod agents;
mod auto_approve;
mod blocking;
pub mod compact;
pub mod conversation;
pub mod definitions;
mod denied;
pub mod elicit;
mod host_tools;
pub mod instructions;
mod locked_file;
pub mod mcp;
pub mod notes;
pub mod permission;
mod places;
mod protected;
mod schema;
pub mod session;
pub mod shell;
pub mod skills;
mod surroundings;
pub mod tasks;
pub mod team;
pub mod tool_call;
mod tools;
pub mod transcript;
pub mod turn;
pub mod update;
pub mod watch;
pub mod worktree;

pub use agent::{Agent, AgentBuilder, AsideError, ContextUse, Info, Spending, SwitchBlocked};
pub use host_tools::HostTools;
pub use surroundings::Surroundings;
pub use tools::{AskQuestions, LeavePlan, ModelOption, ModelQuestion, SessionTools, Web, session_tools};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
