//! Commands that the program itself answers, typed as a prompt: no hook sees them and the model is not asked (`protocol.md`
//! L0).
//!
//! - [`table`]: which there are, and what each takes
//! - [`read`]: whether a prompt is one
//! - [`answer`]: does one, and says what came of it
//! - the others: what each family shows or changes
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
pub(super) use model::{switched, wanted};
pub(super) use permissions::WITHHELD;
pub(super) use read::SlashCommand;
pub(super) use table::{COMMANDS, names};
