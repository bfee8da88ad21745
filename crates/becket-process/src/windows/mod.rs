//! Windows: a job object instead of a group, threads instead of readiness.
//!
//! **Untested**: written against the documented calls, compiled and never run. The interface is that of `unix`. The
//! differences: there is no SIGTERM, so a job is terminated without a request and a grace; a process that leaves its
//! job can't be found; an exit code is what Windows reports, never a signal. While a process runs, its job dies with
//! the host; once it has exited on its own, the processes that it left behind are released.

mod job;
mod pipes;
mod spawn;
mod termination;

pub(crate) use pipes::{Input, Output};
pub(crate) use spawn::spawn;
pub(crate) use termination::{Leader, Termination};
