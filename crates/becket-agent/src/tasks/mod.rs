//! What goes on in the background of a session: command lines, subagents, whatever a host adds.
//!
//! One [`Tasks`] per session owns them all. It names each task, keeps what it says in a private file, knows how it ended,
//! tells the model of that end once, and ends what still runs when the session does.
//!
//! It refuses to know what a task does: that is a [`BackgroundTask`]. It decides nothing and prompts nobody: the call that
//! starts a task was let through before.
//!
//! Invariants: a task that was started ends in exactly one [`TaskEnd`], also one that panics, is dropped, or outlives
//! its runtime. None starts once the registry was closed. What is held in memory of a task grows neither with what it
//! says nor with how long it runs.

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

pub(crate) use output::{OutputFile, make_private};
pub(crate) use output_tool::for_model;
