//! The host's means to take rights away from the processes of hooks (E5).

use becket_model::Rights;
use becket_process::Confinement;
use std::fmt::Debug;

/// Takes rights away from the processes of hooks. `becket_exec::Confinement` does, on Linux.
pub trait HookConfinement: Debug + Send + Sync {
    /// Prepares what takes the rights away. Paths are as they are written; those that are missing grant nothing.
    ///
    /// # Errors
    /// The reason for which this system can't enforce the rights: the hook does not run then.
    fn prepare(&self, rights: &Rights) -> Result<Confinement, String>;
}
