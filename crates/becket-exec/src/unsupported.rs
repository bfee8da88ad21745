//! Systems without a supervisor: nothing is run there.

use std::io;

use crate::error::StartError;
use crate::exit_status::ExitStatus;
use crate::host::Host;
use crate::supervisor::{Program, Supervisor};
use becket_model::Rights;

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
