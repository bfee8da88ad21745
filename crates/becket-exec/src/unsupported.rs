//! Systems without a supervisor: nothing is run there.

use std::io;

use crate::error::StartError;
use crate::exit_status::ExitStatus;
use crate::host::Host;
use crate::supervisor::{Program, Supervisor};
use becket_model::Rights;

/// Restrictions, of which this system has none.
pub(crate) enum Sandbox {}

impl Sandbox {
    pub(crate) fn enter(&self) -> io::Result<()> {
        match *self {}
    }
}

/// Errors: rights can't be taken away here.
pub(crate) fn confine(_: &Rights) -> Result<Sandbox, StartError> {
    Err(StartError::Unsupported)
}

/// Errors: rules can't be enforced here.
pub(crate) fn run(_: &Supervisor, _: &Program, _: &mut dyn Host) -> Result<ExitStatus, StartError> {
    Err(StartError::Unsupported)
}
