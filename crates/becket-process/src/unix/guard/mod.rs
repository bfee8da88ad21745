//! What is to become of processes whose host is killed: a second process, the *keeper*, knows of all that run and ends
//! them once the host is gone.
//!
//! The two share a pipe. The host tells in it what begins, what has started and what has ended ([`line`]); its end of the
//! pipe closes when it dies, however it dies, and then the keeper acts ([`keeper`]).
//!
//! INVARIANT: a process is announced before it is started, by the pipe that becomes its stdout, and the host's end of the
//! keeper's pipe is open in it until its own program begins: when the keeper hears the end, whoever was being started has
//! begun, and can be found.

mod host;
mod keeper;
mod line;

pub use host::{Guard, GuardError};
pub use keeper::keep;

pub(super) use host::{Announced, announce};
