//! Tasks that are shared, and teammates who work on them.
//!
//! - [`Team`]: a session's shared list of tasks and, where it leads a team, who is in it
//! - [`TaskFile`]: the list on the disk, which survives any number of writers and their ends
//! - [`team_tools`]: `TaskCreate`, `TaskUpdate`, `TaskList`, `TaskGet`, and `SendMessage` in a team
//!
//! A task of the list is something to do. What goes on in the background of a session is another thing, though its tools
//! are called alike: [`crate::tasks`]. A teammate is both: an agent that goes on in the background, and somebody who may
//! own tasks of the list. It works on its prompt, and at the end of each turn waits for a message; its hooks decide whether
//! it may (`protocol.md` L3). It ends with its session.
//!
//! It refuses to give out tasks, and to say that one is done: models do, and TaskCreated and TaskCompleted hooks judge it.

mod list;
mod mail;
mod roster;
mod seat;
mod shared_file;
#[expect(clippy::module_inception, reason = "the type of this module is what it is called after")]
mod team;
mod tools;

pub use list::{ListedTask, Refused, Status, TaskFile};
pub use shared_file::SharedFileError;
pub use team::{NameError, Team};
pub use tools::team_tools;

pub(crate) use seat::Seat;
pub(crate) use tools::OF_TEAM;
