//! Shared tasks, and the teammates that work on them.
//!
//! - [`Team`]: a session's shared list of tasks and, if it leads a team, its members
//! - [`TaskFile`]: the list on disk, which survives any number of writers, even killed ones
//! - the tools `TaskCreate`, `TaskUpdate`, `TaskList`, `TaskGet`, and `SendMessage` in a team
//!
//! A task of the list is work to do. Background tasks are different, though their tools have similar names:
//! [`becket_tools::tasks`]. A teammate is both: an agent that runs in the background, and a possible owner of tasks of
//! the list. It works on its prompt, and at the end of each turn waits for a message if its hooks allow it
//! (`protocol.md` L3). It ends with its session.
//!
//! It does not assign tasks or complete them: models do, and TaskCreated and TaskCompleted hooks judge it.

mod list;
mod mail;
mod roster;
mod seat;
mod shared_file;
#[expect(clippy::module_inception, reason = "the type of this module is what it is called after")]
mod team;
mod tools;

pub use list::{ChangeError, ListedTask, Status, TaskFile};
pub use shared_file::SharedFileError;
pub use team::{NameError, Team};
pub(crate) use tools::team_tools;

pub(crate) use seat::Seat;
pub(crate) use tools::OF_TEAM;
