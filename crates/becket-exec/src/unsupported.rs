//! Systems without a supervisor: nothing is run there.

use crate::error::StartError;
use crate::host::Host;
use crate::supervisor::{ExitStatus, Program, Supervisor};

/// Errors: rules can't be enforced here.
pub(crate) fn run(_: &Supervisor, _: &Program, _: &mut dyn Host) -> Result<ExitStatus, StartError> {
    Err(StartError::Unsupported)
}
