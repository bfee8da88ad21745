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
//! - [`team`]: shared tasks, and the teammates that work on them (`protocol.md` L3)
//! - [`permission`]: mode, rules and directories of a session while it runs, and the classifier of mode `auto`
//!   (`protocol.md` P13, P14)
//! - [`elicit`]: the questions of MCP servers, answered by hooks and the user (`protocol.md` X6)
//! - [`worktree`]: working trees of their own for a session and its subagents
//! - [`watch`]: files that change while a session is open (`protocol.md` M8, C8, D11)
//! - [`AskUserQuestion`]: the tool by which a model asks the user
//!
//! Nothing here reads the environment or looks up a home directory: the host passes in both.

mod agent;
pub mod agents;
mod ask_user;
pub mod compact;
pub mod conversation;
pub mod definitions;
pub mod elicit;
pub mod instructions;
mod locked_file;
pub mod notes;
pub mod permission;
pub mod session;
pub mod skills;
pub mod team;
pub mod tool_call;
pub mod transcript;
pub mod turn;
pub mod update;
pub mod watch;
pub mod worktree;

pub use agent::{Agent, AgentBuilder, AsideError, ContextUse, Info, Spending, SwitchBlocked};
pub use ask_user::{AskQuestions, AskUserQuestion, ModelOption, ModelQuestion};
