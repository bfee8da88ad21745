//! Typed commands that the program handles itself: no hook sees them, and no request goes to the model (`protocol.md`
//! L0).
//!
//! - [`table`]: the commands and their arguments
//! - [`read`]: the recognition of a command
//! - [`answer`]: runs a command, and returns its answer
//! - the others: one file for each command
//!
//! INVARIANT: no file of a user, a plugin or a repository replaces one: `/permissions` and `/hooks` show what is in force,
//! regardless of the repository. A warning names files with the same name.

mod agents;
mod answer;
mod cost;
mod directory;
mod help;
mod hidden;
mod hooks;
mod logout;
mod mcp;
mod model;
mod permissions;
mod read;
mod resume;
mod table;
mod tasks;

pub(super) use answer::CommandContext;
pub(super) use hidden::hidden;
pub(super) use model::{requested_model, switched};
pub(super) use permissions::WITHHELD;
pub(super) use read::SlashCommand;
pub(super) use table::{COMMANDS, names};
