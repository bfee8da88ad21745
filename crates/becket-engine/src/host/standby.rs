//! The host's means to start the commands of hooks ahead of their events (H3).

use becket_process::{Command, Standby};
use bytes::Bytes;
use std::fmt::Debug;
use std::io;

/// Starts commands of hooks ahead of their events. `becket_exec::Standby` implements it on Linux.
pub trait HookStandbys: Debug + Send + Sync {
    /// Starts a command that has no input yet. It may do nothing whose result or effect could differ from that of a later
    /// start. Does not wait for it.
    ///
    /// # Errors
    /// Errors if nothing can be started ahead.
    fn start(&self, command: Command) -> io::Result<Box<dyn HookStandby>>;
}

/// A command that is started ahead of its event. Dropping it ends the command.
pub trait HookStandby: Debug + Send {
    /// Returns its present state.
    fn state(&self) -> HookStandbyState;

    /// Releases the process with its input, to be run to its end.
    ///
    /// # Errors
    /// Returns the reason why it can't be used. It has had no effect then, and the command is started for the event.
    fn release(self: Box<Self>, input: Bytes) -> Result<Standby, HookStandbyEnd>;

    /// Ends it, and waits until its processes are gone: a few milliseconds.
    fn end(self: Box<Self>);
}

/// The state of a command that is started ahead of its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookStandbyState {
    /// It does what it does before it needs its input.
    Starting,
    /// It waits for its input.
    Waiting {
        /// The memory that it uses, in bytes.
        memory: u64,
    },
    /// It can't be used.
    Ended(HookStandbyEnd),
}

/// The reason why a command that was started ahead can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HookStandbyEnd {
    /// The reason.
    pub message: String,
    /// True if another process of the same command would end in the same way.
    pub is_lasting: bool,
}
