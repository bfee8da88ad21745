//! Systems without a supervisor: nothing is run there.

use std::io;

use crate::error::StartError;
use crate::exit_status::ExitStatus;
use crate::host::Host;
use crate::standby::{StandbyEnd, StandbyLimits, StandbyState};
use crate::supervisor::{Program, Supervisor};
use becket_model::Rights;
use becket_process::Command;
use bytes::Bytes;

/// Restrictions, which this system does not support.
pub(crate) enum Sandbox {}

impl Sandbox {
    pub(crate) fn enter(&self) -> io::Result<()> {
        match *self {}
    }
}

/// A supervisor of attributes, which this system does not support.
pub(crate) enum AttributeSupervisor {}

impl AttributeSupervisor {
    pub(crate) fn start(_: &Rights) -> Result<Self, StartError> {
        Err(StartError::Unsupported)
    }

    pub(crate) fn enter(&self) -> io::Result<()> {
        match *self {}
    }
}

/// Returns an error: rights can't be taken away on this system.
pub(crate) fn confine(_: &Rights) -> Result<Sandbox, StartError> {
    Err(StartError::Unsupported)
}

/// Returns an error: rules can't be enforced on this system.
pub(crate) fn run(_: &Supervisor, _: &Program, _: &mut dyn Host) -> Result<ExitStatus, StartError> {
    Err(StartError::Unsupported)
}

/// A command that is started ahead of its input, which this system does not support.
#[derive(Debug)]
pub enum Standby {}

impl Standby {
    /// Returns an error.
    ///
    /// # Errors
    /// Always errors on this system.
    pub fn start(_: Command, _: StandbyLimits, _: impl Send + 'static) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns its present state.
    #[must_use]
    pub fn state(&self) -> StandbyState {
        match *self {}
    }

    /// Releases it.
    ///
    /// # Errors
    /// Never returns.
    pub fn release(self, _: Bytes) -> Result<becket_process::Standby, StandbyEnd> {
        match self {}
    }

    /// Ends it.
    pub fn end(self) {
        match self {}
    }
}
