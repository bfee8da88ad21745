//! The reference agent's parts.
//!
//! - [`Agent`]: an open session, as a host drives it
//! - [`session`]: an open session, from its first event to its last (`protocol.md` L0)
//! - [`turn`]: from a prompt to the moment at which the user is asked again (`protocol.md` L0–L8)
//! - [`compact`]: a conversation that grows too large goes on as its summary (`protocol.md` L0, L5)
//! - [`conversation`]: what the model is sent, with the tool barrier as types (`protocol.md` L2)
//! - [`transcript`]: what is stored of a session, so that it can go on after any end (`protocol.md` L2, D10)
//! - [`update`]: what a host may show meanwhile
//! - [`agents`], [`skills`], [`definitions`]: subagents, skills and typed commands, and the files that define them
//!   (`protocol.md` C10)
//! - [`instructions`]: what people write into `CLAUDE.md` and its like for the model (`protocol.md` L0)
//! - [`notes`]: what is remembered of a project's sessions (`protocol.md` L7)
//! - [`tool_call`]: one tool call through hooks, rules, mode and person to its end (`protocol.md` L1)
//! - [`shell`]: the command lines of a session, and the directory that they move
//! - [`tasks`]: what goes on in the background of a session
//! - [`team`]: tasks that are shared, and teammates who work on them (`protocol.md` L3)
//! - [`permission`]: mode, rules and directories of a session while it runs, and who judges in mode `auto` (`protocol.md`
//!   P13, P14)
//! - [`mcp`]: the tools of MCP servers, for the model and for hooks (`protocol.md` X5, H6)
//! - [`elicit`]: the questions of MCP servers, answered by hooks and the user (`protocol.md` X6)
//! - [`worktree`]: working trees of their own for a session and its subagents
//! - [`watch`]: files that change while a session is open (`protocol.md` M8, C8, D11)
//! - [`session_tools`]: the tools on files and on the web, and those that ask the user, for a session's own model
//! - [`HostTools`]: the tools that a host lends to `agent` handlers (`protocol.md` H8)
//!
//! [`HostTools`] is Read, Grep, Glob and Bash for [`becket_engine::Builder::agent_tools`] and
//! [`becket_engine::Builder::tools`]. What a tool does is its own; whether it may is the engine's to ask, of rules, hooks
//! and [`HostTools`]' answer to what mode `default` runs without asking (P14).
//!
//! Nothing here reads the environment or looks up a home directory: the host hands in both.

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
