//! The reference agent, as a whole or in parts. [`Agent`] is an open session for a host.
//!
//! # The modules, in order
//!
//! | module | contents |
//! |---|---|
//! | [`update`] | updates that a host may display while a session works |
//! | `hook_messages` | messages of hooks, worded for the model and the user |
//! | `facts` | the facts of a session that its events contain |
//! | `locked_file` | files that several sessions change |
//! | [`definitions`] | the files that define subagents and skills (`protocol.md` C10) |
//! | `output_style` | texts that describe how a model should answer |
//! | [`notes`] | notes from a project's earlier sessions (`protocol.md` L7) |
//! | [`instructions`] | texts that people write for the model, in `CLAUDE.md` and similar files (`protocol.md` L0) |
//! | [`conversation`] | the messages for the model, with the tool barrier as types (`protocol.md` L2) |
//! | [`transcript`] | the stored session, which can be resumed after any end (`protocol.md` L2, D10) |
//! | [`compact`] | replaces a conversation that grows too large with its summary (`protocol.md` L0, L5) |
//! | [`permission`] | mode, rules and directories of a session, and the classifier of mode `auto` (`protocol.md` P13, P14) |
//! | [`tool_call`] | one tool call, through hooks, rules, mode and person to its end (`protocol.md` L1) |
//! | `ask_user` | the tool by which a model asks the user |
//! | `structured_output` | the tool by which a model answers in JSON that matches a schema |
//! | [`team`] | shared tasks, and the teammates that work on them (`protocol.md` L3) |
//! | [`turn`] | a turn, from a prompt until the user's next one (`protocol.md` L0–L8) |
//! | [`worktree`] | worktrees for a session and its subagents |
//! | [`agents`] | subagents |
//! | [`session`] | an open session, from its first event to its last (`protocol.md` L0) |
//! | [`skills`] | skills and typed commands |
//! | [`elicit`] | the questions of MCP servers, answered by hooks and the user (`protocol.md` X6) |
//! | [`watch`] | files that change while a session is open (`protocol.md` M8, C8, D11) |
//! | `agent` | the public interface, which ties everything together |
//! | [`end_tasks`] | titles, suggestions, notes and a state file at the end of a turn (`protocol.md` L7) |
//! | [`assemble`] | assembles a complete session from a configuration |
//!
//! A module uses only the modules above it; a test checks that. The tools are in `becket-tools`.
//!
//! Nothing here reads environment variables or looks up a home directory: the host passes in both.

// Shared by all other modules.
mod error_class;
mod facts;
mod hook_messages;
mod locked_file;
pub mod update;

// Files that configure a session.
pub mod definitions;
pub mod instructions;
pub mod notes;
mod output_style;

// The conversation with the model.
pub mod checkpoints;
pub mod compact;
pub mod conversation;
pub mod transcript;

// One tool call.
mod ask_user;
pub mod permission;
mod structured_output;
pub mod tool_call;

// The agent loop.
pub mod team;
pub mod turn;

// Built on the agent loop.
pub mod agents;
pub mod elicit;
pub mod session;
pub mod skills;
pub mod watch;
pub mod worktree;

// The public interface.
mod agent;

// A complete session for a host, from a configuration.
pub mod assemble;
pub mod end_tasks;

pub use agent::{Agent, AgentBuilder, AsideError, ContextUse, Info, ModelUsage, SessionUsage, SwitchBlocked};
pub use ask_user::{AskQuestions, AskUserQuestion, ModelOption, ModelQuestion, PreviewFormat};
pub use output_style::OutputStyles;
pub use structured_output::StructuredOutput;
