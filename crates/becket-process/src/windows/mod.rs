//! Windows: a job object in place of a group, threads in place of readiness.
//!
//! **Untested**: written against the documented calls, neither compiled nor run yet. The face is that of `unix`.
//! What differs: there is no SIGTERM, so a job is terminated without the asking and the grace; a process that leaves
//! its job can't be seen; an exit code is what Windows reports, never a signal. While a process runs, its job dies
//! with the host; once it ended well, those it left behind are let go.

mod ending;
mod job;
mod pipes;
mod spawn;

pub(crate) use ending::{Ending, Leader};
pub(crate) use pipes::{Input, Output};
pub(crate) use spawn::spawn;
