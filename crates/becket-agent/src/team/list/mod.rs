//! The shared list of tasks: what is to be done, by whom, and what waits for what.

mod change;
mod file;
mod task;
mod tasks;

pub use change::Refused;
pub use file::TaskFile;
pub use task::{ListedTask, Status};

pub(crate) use change::{Change, To};
pub(crate) use tasks::ListedTasks;
