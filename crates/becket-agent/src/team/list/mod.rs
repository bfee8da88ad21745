//! The shared task list: the work, its owners, and its dependencies.

mod change;
mod file;
mod task;
mod tasks;

pub use change::ChangeError;
pub use file::TaskFile;
pub use task::{ListedTask, Status};

pub(crate) use change::{Change, To};
pub(crate) use tasks::ListedTasks;
