//! Background tasks of a session: command lines, subagents, and those that a host adds.
//!
//! One [`Tasks`] per session owns them all. It names each task, keeps its output in a private file, records its end,
//! reports that end to the model once, and ends running tasks with the session.
//!
//! It does not know a task's work: that is a [`BackgroundTask`]. It decides nothing and asks no user: the call that
//! starts a task was already allowed.
//!
//! Invariants: a task that was started ends in exactly one [`TaskEnd`], even if it panics, is dropped, or outlives its
//! runtime. None starts once the registry was closed. The memory of a task grows neither with its output nor with its
//! run time.

mod id;
mod output;
mod output_tool;
mod registry;
mod state;
mod stop_tool;
mod task;

pub use id::{TaskId, TaskIdError};
pub use output::Output;
pub use output_tool::TaskOutput;
pub use registry::{StartError, TaskOptions, Tasks};
pub use stop_tool::TaskStop;
pub use task::{About, BackgroundTask, Observer, TaskEnd, TaskInfo, TaskKind, TaskRun, TaskStatus};

pub(crate) use output::OutputFile;
pub(crate) use output_tool::for_model;
