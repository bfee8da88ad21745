//! What commands lend to hooks: models, MCP servers, a person to ask, the tools of agents.

mod answers;
mod lent;
mod mcp;
mod models;
mod permission;
mod person;
pub(crate) mod question;
mod run_models;
mod tools;

pub(crate) use answers::Answers;
pub(crate) use lent::{Lent, Wish};
pub(crate) use mcp::Mcp;
pub(crate) use models::{Shared, http, models};
pub(crate) use person::Person;
pub(crate) use run_models::RunModels;
pub(crate) use tools::AgentsTools;
