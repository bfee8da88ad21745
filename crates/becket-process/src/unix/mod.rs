//! Linux and macOS: pipes, sessions, signals, exit statuses.
//!
//! The interface is the same as that of `windows`: [`spawn`], [`Input`], [`Output`], [`Leader`], [`Termination`].
//!
//! Needs glibc 2.34 or musl 1.1.24 on Linux, macOS 10.15. Tested on Linux with glibc only: the lines for musl and macOS
//! follow the documented calls and have not been run.

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
compile_error!("becket-process knows how to start and end process groups on Linux, macOS and Windows only");

#[cfg(target_os = "linux")]
mod adopter;
#[cfg(target_os = "linux")]
mod contained_run;
#[cfg(target_os = "linux")]
mod continuation;
mod detached;
mod exec;
mod ffi;
mod guard;
mod kin;
mod last_answer;
mod leader;
mod pipes;
mod refusal;
mod spawn;
#[cfg(target_os = "linux")]
mod standby;
mod termination;

#[cfg(target_os = "linux")]
pub use contained_run::continue_in_child;
#[cfg(target_os = "linux")]
pub use continuation::{exit_and_continue, has_one_thread};
pub use detached::start_detached;
pub use guard::{Guard, GuardError, keep};
pub use last_answer::{ENDING, LastAnswer, end_is_handled, withdraw_last_answer};
pub(crate) use leader::Leader;
pub(crate) use pipes::{Input, Output};
pub(crate) use spawn::{SpawnedChild, spawn};
#[cfg(target_os = "linux")]
pub use standby::Standby;
pub(crate) use termination::Termination;

#[cfg(test)]
mod tests;
