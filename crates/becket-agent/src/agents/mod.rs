//! Subagents: their definitions ([`Definition`]), the set of them ([`Agents`]), and their execution.
//!
//! A definition states what an agent requests; it never gets more than its session has (`protocol.md` C10, G3, C7b).

mod builtin;
mod definition;
mod flag;
mod hooks;
mod main;
mod memory;
mod mode;
mod narrow;
mod own_servers;
mod own_tree;
mod parent;
mod read;
mod register;
mod report;
mod run;
mod skill_texts;
mod task;
mod teammate;
mod tool;

pub use definition::Definition;
pub use memory::{MemoryHomes, MemoryScope};
pub use own_servers::OwnServers;
pub use register::{Agents, LoadedAgents};
pub use skill_texts::{MakesSkillTexts, SkillTexts};
pub use tool::{AgentTool, MakesTools};

pub(crate) use main::MainAgent;
pub(crate) use memory::AgentMemory;
pub(crate) use own_servers::ServerTools;
pub(crate) use parent::{Parent, ParentCell};
pub(crate) use skill_texts::FirstSkills;
