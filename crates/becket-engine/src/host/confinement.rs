//! The host's means to take rights away from the processes of hooks (E5).

use becket_model::Rights;
use becket_process::Confinement;
use std::fmt::Debug;

/// Takes rights away from the processes of hooks. `becket_exec::Confinement` implements it on Linux.
pub trait HookConfinement: Debug + Send + Sync {
    /// Prepares a confinement to these rights. Paths are as they are written; missing ones grant nothing.
    ///
    /// # Errors
    /// Returns the reason why this system can't enforce the rights: the hook does not run then.
    fn prepare(&self, rights: &Rights) -> Result<Confinement, String>;
}
