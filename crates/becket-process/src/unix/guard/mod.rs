//! Cleanup of processes whose host is killed: a second process, the *keeper*, knows all running processes and ends them
//! once the host is gone.
//!
//! The two share a pipe. The host reports on it which processes are about to start, have started and have ended
//! ([`line`]); its end of the pipe closes when it dies for any reason, and then the keeper acts ([`keeper`]).
//!
//! INVARIANT: a process is announced before it is started, by the pipe that becomes its stdout, and the host's end of
//! the keeper's pipe is open in it until its own program begins: when the keeper sees the end of the pipe, every
//! process that was being started has begun, and can be found.

mod host;
mod keeper;
mod line;

pub use host::{Guard, GuardError};
pub use keeper::keep;

pub(super) use host::{Announcement, announce};
